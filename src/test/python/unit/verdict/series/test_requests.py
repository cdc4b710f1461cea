"""Requests over time: the stretches that they are counted in, and the counts."""

import random
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.request_tables import run_data, tables_of
from switchover.evidence.requests.store import Store
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity
from switchover.model.interval import Span
from switchover.verdict.series.grid import COARSE, FINE, WIDTHS_US, Grid, grid_of
from switchover.verdict.series.requests import NAMES, series_of, span_of
from synthetic import SECOND, drill, pair_run, refused, sample

HOUR = 3600 * SECOND
times = st.integers(0, 10 * HOUR)


def counted(tables: Store, grid: Grid, **options: bool) -> dict[str, Any]:
    found = series_of(tables, "samples", grid, **options)
    assert found is not None
    return found


@given(times, times, st.lists(st.tuples(times, times), max_size=3))
def test_every_microsecond_lies_in_one_stretch(one: int, other: int, events: list[tuple[int, int]]) -> None:
    from_us, to_us = min(one, other), max(one, other)
    stretches = grid_of(from_us, to_us, [Span(*event) for event in events]).stretches()
    assert stretches[0][0] == from_us and stretches[-1][0] + stretches[-1][1] >= to_us
    assert all(begin + width == following for (begin, width), (following, _) in pairwise(stretches))
    assert len(stretches) <= COARSE + 1 + len(events) * (FINE + 2)


def test_users_who_ask_five_times_a_second_fall_evenly_into_the_bars() -> None:
    assert [width for width in WIDTHS_US if width % 200_000] == []


def test_an_event_in_a_long_run_is_looked_at_closely() -> None:
    grid = grid_of(0, HOUR, [Span(1800 * SECOND, 1820 * SECOND)])
    widths = dict(grid.stretches())
    assert min(widths.values()) == SECOND // 5 and max(widths.values()) == 10 * SECOND
    assert all(width == SECOND // 5 for begin, width in widths.items() if 1800 * SECOND <= begin < 1820 * SECOND)


def test_counts_and_latencies_are_those_of_the_requests() -> None:
    chance = random.Random(7)
    samples = [sample(at, at + chance.randint(200, 900_000)) for at in range(0, 20 * SECOND, 7_000)]
    samples += [refused(at) for at in range(5 * SECOND, 6 * SECOND, 50_000)]
    tables = run_data(run=pair_run(), samples=samples).tables()
    assert span_of(tables) == (0, max(one.end_us for one in samples))
    grid = grid_of(0, 21 * SECOND)
    found = series_of(tables, "samples", grid)
    assert found is not None and sum(found["failed"]["refused"]) == 20
    for number, (begin, width) in enumerate(grid.stretches()):
        ended = [one for one in samples if begin <= one.end_us < begin + width]
        good = sorted(one.end_us - one.start_us for one in ended if one.success)
        assert sum(counts[number] for counts in found["backends"].values()) == len(good)
        if not good:
            assert found["from_send"]["max"][number] is None
            continue
        assert found["from_send"]["max"][number] == good[-1] / 1000
        for percent, name in ((50, "p50"), (99, "p99")):
            measured = found["from_send"][name][number] * 1000
            exact = good[max(0, -(-len(good) * percent // 100) - 1)]
            assert exact <= measured + 1e-6 <= exact * 1.011 + 1e-3


def test_what_was_due_is_timed_from_then_too() -> None:
    held_up = [sample(at + 40_000, at + 41_000, intended_us=at) for at in range(0, SECOND, 10_000)]
    tables = run_data(run=pair_run(), probes=held_up).tables()
    found = series_of(tables, "probes", grid_of(0, SECOND))
    assert found is not None and found["from_send"]["p50"][1] == 1 and found["from_schedule"]["p50"][1] == 41
    assert found["lag"]["max"][1] == 40
    closed = run_data(run=pair_run(), samples=[one._replace(intended_us=None) for one in held_up]).tables()
    found = series_of(closed, "samples", grid_of(0, SECOND))
    assert found is not None and found["from_schedule"] is None


def test_of_many_names_the_common_ones_are_kept_and_nothing_is_lost() -> None:
    names = [f"web{number}" for number in range(NAMES + 20) for _ in range(number + 1)]
    samples = [
        sample(at, at + 10, identity=Identity(name, "lb1", AnsweredBy.BACKEND)) for at, name in enumerate(names)
    ]
    found = series_of(run_data(run=pair_run(), samples=samples).tables(), "samples", grid_of(0, SECOND))
    assert found is not None and len(found["backends"]) <= NAMES + 1
    assert sum(map(sum, found["backends"].values())) == len(names)


def test_what_times_out_long_after_the_others_is_on_the_axis_where_it_ended() -> None:
    """500 starts within a second; 100 of them wait 30 s for nothing."""
    answered = [sample(at * 2_000, at * 2_000 + 5_000) for at in range(500) if at % 5]
    hung = [
        sample(at * 2_000, at * 2_000 + 30 * SECOND, success=False, error=FailureKind.READ_TIMEOUT)
        for at in range(0, 500, 5)
    ]
    tables = run_data(run=pair_run(), samples=[*answered, *hung]).tables()
    span = span_of(tables)
    assert len(hung) == 100 and span == (0, hung[-1].end_us)
    grid = grid_of(*span)
    failed = counted(tables, grid)["failed"]["read_timeout"]
    ended = {begin for (begin, _), number in zip(grid.stretches(), failed, strict=True) if number}
    assert sum(failed) == 100 and min(ended) >= 29 * SECOND


def test_users_are_those_of_all_load_generators_together() -> None:
    """Each log says how many its own generator had."""
    one = [sample(at, at + 10)._replace(users=4) for at in range(0, 2 * SECOND, 10_000)]
    other = [sample(at, at + 10)._replace(users=3 if at < SECOND else 5) for at in range(0, 2 * SECOND, 10_000)]
    both = tables_of(one, other)
    store = both.store
    store.rows(f"CREATE TABLE samples AS SELECT *, 'good' AS outcome FROM {both.source}")
    grid = grid_of(0, 2 * SECOND)
    users = counted(store, grid, with_users=True)["users"]
    assert users is not None
    assert [number for number in users if number is not None] == [7.0] * 5 + [9.0] * 5
    assert counted(store, grid)["users"] is None
    alone = run_data(run=pair_run(), samples=[sample(at, at + 10) for at in range(100)]).tables()
    assert counted(alone, grid_of(0, SECOND), with_users=True)["users"] is None


@pytest.mark.parametrize("table", ["samples", "probes"])
def test_nothing_is_counted_where_nothing_was_sent(table: str) -> None:
    tables = drill(probes=[]).tables()
    assert span_of(tables) is None
    assert series_of(tables, table, grid_of(0, SECOND)) is None
