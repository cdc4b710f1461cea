"""Requests over time: the intervals in which requests are counted, and the counts."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.request_tables import run_data
from switchover.evidence.requests.store import Store
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity
from switchover.verdict.series.requests import INTERVALS, NAMES, WIDTHS_US, Grid, grid_of, series_of, span_of
from synthetic import SECOND, drill, pair_run, refused, sample

HOUR = 3600 * SECOND
times = st.integers(0, 10 * HOUR)


def counted(tables: Store, grid: Grid, **options: bool) -> dict[str, Any]:
    found = series_of(tables, "samples", grid, **options)
    assert found is not None
    return found


@given(times, times)
def test_the_intervals_cover_the_run(one: int, other: int) -> None:
    from_us, to_us = min(one, other), max(one, other)
    grid = grid_of(from_us, to_us)
    assert grid.from_us == from_us and from_us + grid.size * grid.width_us >= to_us
    assert grid.size <= INTERVALS and (grid.size == 1 or from_us + (grid.size - 1) * grid.width_us < to_us)
    assert not any(width < grid.width_us and to_us - from_us <= width * INTERVALS for width in WIDTHS_US)


def test_users_who_ask_five_times_a_second_fall_evenly_into_the_bars() -> None:
    assert [width for width in WIDTHS_US if width % 200_000] == []
    assert grid_of(0, 3 * WIDTHS_US[-1] * INTERVALS + 1).width_us == 3 * WIDTHS_US[-1] + 1


def intervals(grid: Grid) -> list[tuple[int, int]]:
    return [(grid.from_us + number * grid.width_us, grid.width_us) for number in range(grid.size)]


def test_counts_and_latencies_are_those_of_the_requests() -> None:
    chance = random.Random(7)
    samples = [sample(at, at + chance.randint(200, 900_000)) for at in range(0, 20 * SECOND, 7_000)]
    samples += [refused(at) for at in range(5 * SECOND, 6 * SECOND, 50_000)]
    tables = run_data(run=pair_run(), samples=samples).tables()
    assert span_of(tables) == (0, max(one.end_us for one in samples))
    grid = grid_of(0, 21 * SECOND)
    found = series_of(tables, "samples", grid)
    assert found is not None and sum(found["failed"]["refused"]) == 20
    for number, (begin, width) in enumerate(intervals(grid)):
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
    ended = {begin for (begin, _), number in zip(intervals(grid), failed, strict=True) if number}
    assert sum(failed) == 100 and min(ended) >= 29 * SECOND


@pytest.mark.parametrize("table", ["samples", "probes"])
def test_nothing_is_counted_where_nothing_was_sent(table: str) -> None:
    tables = drill(probes=[]).tables()
    assert span_of(tables) is None
    assert series_of(tables, table, grid_of(0, SECOND)) is None
