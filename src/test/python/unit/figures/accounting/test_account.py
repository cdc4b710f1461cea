"""Everybody's count against everybody else's, in runs whose true books are known."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import structs

from support.records import line
from support.request_tables import changed, samples_of
from support.run_directories import written
from switchover.evidence.requests.table import concatenate
from switchover.evidence.run_data import RunData, load
from switchover.figures.accounting.account import NOT_OURS, _one_sided, account
from switchover.figures.accounting.generation_ledger import TAIL, UNANSWERED
from switchover.figures.accounting.ledger import count_uncertain
from switchover.model.identity import AnsweredBy
from switchover.rundir.run_records import HeldAccount
from switchover.rundir.sample_log import Sample
from switchover.verdict.record import Accounting
from synthetic import simulate, telling

seeds = st.integers(0, 10**6)


def accounted(data: RunData) -> Accounting:
    return account(data)


def unaccounted(data: RunData) -> int:
    count = accounted(data).unaccounted
    assert count is not None
    return count


def less(records: Sequence[Sample], index: int) -> list[Sample]:
    return [*records[:index], *records[index + 1 :]]


def twice(records: Sequence[Sample], index: int) -> list[Sample]:
    return [*records[: index + 1], *records[index:]]


def last_before_the_kill(records: Sequence[Sample], data: RunData) -> int:
    """The last one that the killed balancer answered: no scrape has counted it."""
    fired_us = data.run.plan.fired_to_us or 0
    return max(
        index
        for index, record in enumerate(records)
        if record.identity.answered_by is AnsweredBy.BACKEND and record.end_us <= fired_us
    )


@given(seed=seeds)
@settings(max_examples=10)
def test_exact_books_leave_nothing_unaccounted(seed: int) -> None:
    assert unaccounted(simulate(seed)) == 0


@given(seed=seeds, reload_us=st.integers(-1_200_000, 3_900_000), is_cut=st.booleans())
@example(seed=1, reload_us=-100_000, is_cut=True)
@example(seed=1, reload_us=2_100_000, is_cut=True)
@example(seed=0, reload_us=-3_795, is_cut=False)
@settings(max_examples=5)
def test_a_reload_at_any_moment_leaves_nothing_unaccounted(seed: int, reload_us: int, is_cut: bool) -> None:
    """A fault beside it says nothing of when one process followed the other; a scrape of the old one may return when
    the new one has begun; and a request may be taken by a process that began after it was sent."""
    assert unaccounted(simulate(seed, is_cut=is_cut, reload_us=reload_us)) == 0


@given(seed=seeds, drop=st.floats(0, 1, exclude_max=True), double=st.floats(0, 1, exclude_max=True))
@settings(max_examples=10)
def test_a_dropped_probe_cannot_hide_behind_a_doubled_one(seed: int, drop: float, double: float) -> None:
    data = simulate(seed)
    probes = samples_of(data.probes)
    doubled = twice(probes, int(double * len(probes)))
    index = int(drop * len(probes))
    if doubled[index].intended_us == probes[int(double * len(probes))].intended_us:
        return
    assert unaccounted(changed(data, probes=less(doubled, index))) >= 2


@given(seed=seeds, where=st.floats(0, 1, exclude_max=True))
@settings(max_examples=10)
def test_a_dropped_sample_is_found_or_takes_the_place_of_one_in_flight_at_the_kill(seed: int, where: float) -> None:
    data = simulate(seed)
    answered = [i for i, s in enumerate(samples_of(data.samples)) if s.identity.answered_by is AnsweredBy.BACKEND]
    dropped = changed(data, samples=less(samples_of(data.samples), answered[int(where * len(answered))]))
    if count_uncertain(concatenate(data.probes, data.samples)):
        before, after = (
            sum(line.explained_by.get(UNANSWERED, 0) for line in accounted(d).lines) for d in (data, dropped)
        )
        assert unaccounted(dropped) >= 1 or after > before
    else:
        assert unaccounted(dropped) >= 1


@given(seed=seeds)
@settings(max_examples=10)
def test_the_last_sample_before_the_kill_is_found_if_dropped_and_nothing_was_in_flight(seed: int) -> None:
    data = simulate(seed)
    if count_uncertain(concatenate(data.probes, data.samples)):
        return
    index = last_before_the_kill(samples_of(data.samples), data)
    assert unaccounted(changed(data, samples=less(samples_of(data.samples), index))) >= 1


@pytest.mark.parametrize(
    ("client", "source", "explained", "unaccounted", "more"),
    [
        (5, 9, {UNANSWERED: 1}, 3, {NOT_OURS: 3}),
        (10, 8, {TAIL: 4}, 2, {NOT_OURS: 2}),
        (10, 12, {UNANSWERED: 4, TAIL: 2}, 0, {}),
        (10, 5, {TAIL: 4}, 1, None),
        (5, 4, {}, 1, None),
        (5, 5, {}, 1, None),
    ],
)
def test_what_a_source_counts_beyond_ours_is_foreign_traffic_and_what_it_lacks_is_not(
    client: int, source: int, explained: dict[str, int], unaccounted: int, more: dict[str, int] | None
) -> None:
    """Of a generation the client has also answered what came after the last scrape: its tail, which no counter
    shows."""
    one = line("requests", client, source, "HAProxy's counters", "lb1", "1", explained, unaccounted)
    found = _one_sided(one)
    assert found == (one if more is None else structs.replace(one, explained_by=explained | more, unaccounted=0))
    own = structs.replace(one, node=None)
    assert _one_sided(own) == own, "the client's own records are held against themselves"


def test_other_clients_of_a_target_that_is_not_dedicated_are_no_mistake() -> None:
    """A lost line of the client's own log still is one."""
    data = simulate(0)
    data.run.target |= {"dedicated": False}
    few = changed(data, samples=samples_of(data.samples)[:-50])
    found = accounted(few)
    assert [line.unaccounted for line in found.lines if line.node] == [0] * (len(found.lines) - 2)
    assert max(line.explained_by.get(NOT_OURS, 0) for line in found.lines) >= 10
    doubled = changed(data, samples=twice(samples_of(data.samples), 5))
    assert [line.unaccounted for line in accounted(doubled).lines if not line.node] == [0, 1]


def test_every_source_of_a_run_is_asked_once() -> None:
    lines = accounted(simulate(0)).lines
    assert [line.name for line in lines[:2]] == [
        "slots of the schedule, fresh connections",
        "lines of the sample log",
    ]
    assert {line.said_by for line in lines} >= {"HAProxy's counters", "the backend's access log"}


def test_a_balancer_that_was_to_be_scraped_and_was_not_is_named() -> None:
    data = simulate(0)
    data.run.target = telling(data.run.target, "lb1", "lb2", haproxy=True)
    assert accounted(data).uncounted == []
    alone = replace(data, points=[point for point in data.points if point.tags.get("node") != "lb2"])
    assert accounted(alone).uncounted == ["lb2"]


def with_servers_of_other_names(data: RunData) -> RunData:
    """HAProxy's servers, and so its header, are called app1 to app3 where the nodes are web1 to web3."""

    def other(name: str) -> str:
        return name.replace("web", "app")

    def named(records: Sequence[Sample]) -> list[Sample]:
        return [r._replace(identity=replace(r.identity, backend=other(r.identity.backend))) for r in records]

    points = [
        replace(point, tags={key: other(value) if key == "server" else value for key, value in point.tags.items()})
        for point in data.points
    ]
    return changed(
        data, probes=named(samples_of(data.probes)), samples=named(samples_of(data.samples)), points=points
    )


def test_servers_that_haproxy_calls_otherwise_are_their_nodes_by_address(tmp_path: Path) -> None:
    data = with_servers_of_other_names(simulate(0))
    unmatched = load(written(tmp_path / "unmatched", data))
    assert unmatched.access and accounted(unmatched).unaccounted is None
    assert accounted(unmatched).uncounted[0] == "web1 (the requests name app1, app2, app3)"
    data.run.target |= {"aliases": {f"app{number}": f"web{number}" for number in (1, 2, 3)}}
    found = accounted(load(written(tmp_path / "matched", data)))
    assert found.unaccounted == 0 and not found.uncounted
    assert {line.name for line in found.lines if line.node == "lb1"} >= {"answers by web1", "answers by web2"}


def test_a_balancer_that_was_first_scraped_in_the_middle_is_left_out() -> None:
    data = simulate(0)
    late = [point for point in data.points if point.tags.get("node") != "lb2" or point.time_ns > 10**9]
    assert "lb2" not in {line.node for line in accounted(replace(data, points=late)).lines}


def test_where_connections_are_kept_open_only_the_logs_of_the_backends_are_asked() -> None:
    """A balancer counts a stream when it ends, and an old process is not asked at all."""
    data = simulate(1)
    assert any(line.said_by == "HAProxy's counters" for line in accounted(data).lines)
    data.run.connections = HeldAccount(requests=3)
    assert {line.said_by for line in accounted(data).lines}.isdisjoint({"HAProxy's counters"})
    assert accounted(data).uncounted == []
