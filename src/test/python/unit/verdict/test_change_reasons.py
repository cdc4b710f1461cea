"""Why a series of changes is invalid, had no effect, or was not taken back."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from support.changes import EVERY_US, START_US, Rows, change, end_us, no_samples
from support.request_tables import run_data
from switchover.evidence.held_rows import HeldRows
from switchover.evidence.node_life import NodeLife
from switchover.figures.changes.changes import ChangeFigures, measure_changes
from switchover.figures.events import find_events
from switchover.model.failure_kind import FailureKind
from switchover.rundir.points import Point
from switchover.rundir.run_directory import ChangeRun, FaultRun, Plan
from switchover.rundir.run_records import HeldAccount
from switchover.rundir.sample_log import Sample
from switchover.telemetry.balancers import BalancerState
from switchover.verdict.change_reasons import change_reasons
from switchover.verdict.reasons import make_reason
from switchover.verdict.record import Figure, Reason
from synthetic import pair_run, sample


def reloads(*processes: str) -> dict[str, NodeLife]:
    """lb1 is scraped just before each change and just behind it: which process answered."""
    times = [at_us for number in range(1, 9) for at_us in (number * EVERY_US - 1, number * EVERY_US + 1)]
    states = [
        BalancerState(process, at_us=START_US + at_us) for process, at_us in zip(processes, times, strict=False)
    ]
    return {"lb1": NodeLife("lb1", states)}


SEEN = reloads("1", "2", "2", "3", "3", "4")


def told(
    made: Sequence[ChangeRun],
    *,
    lives: dict[str, NodeLife] | None = None,
    sources: Iterable[str] = ("generation",),
    figures: ChangeFigures | None = None,
    samples: Iterable[Sample] = (),
    probes: Iterable[Sample] = (),
    connections: HeldRows | None = None,
    held_account: HeldAccount | None = None,
    points: Sequence[Point] = (),
    **run_facts: Any,
) -> list[Reason]:
    run = pair_run()
    run.fault, run.change = None, FaultRun(name="reload", kind="master", master="lb1", sources=list(sources))
    run.plan = Plan(start_us=START_US, end_us=end_us(made), changes=[asdict(one) for one in made])
    data = run_data(
        replace(run, connections=held_account, **run_facts), probes, samples, connections=connections, points=points
    )
    events = replace(find_events(data), lives=SEEN if lives is None else lives)
    return list(change_reasons(data, events, figures))


MADE = [change(1), change(2), change(3)]


def test_changes_that_were_proven_seen_and_taken_back_leave_no_reason() -> None:
    undone = replace(change(2), undo_from_us=1, undone_us=2)
    assert told([change(1), undone, change(3)]) == []


def test_without_a_change_there_is_nothing_to_say() -> None:
    data = run_data(pair_run())
    assert list(change_reasons(data, find_events(data), None)) == []
    data.run.plan.changes = [asdict(change(1))]
    assert list(change_reasons(data, find_events(data), None)) == []


def test_each_change_that_was_not_proven_or_not_taken_back_is_named() -> None:
    made = [
        replace(change(1), confirmed_us=None, error="no new process"),
        replace(change(2), undo_from_us=1, undone_us=None, error="it does not answer"),
        replace(change(3), error="it took long"),
    ]
    assert told(made) == [
        make_reason("not_confirmed", fault="change 1, reload", why=": no new process"),
        make_reason("not_healed", fault="change 2, reload", why=": it does not answer"),
        make_reason("fault_error", why="it took long"),
    ]


def test_changes_that_their_sources_deny_are_counted_and_the_first_is_named() -> None:
    """Its servers were known up to the second change."""
    (life,) = reloads("1", "2", "2", "2", "2", "2").values()
    states = [replace(state, servers={"web/web1": "UP"} if at < 4 else {}) for at, state in enumerate(life.states)]
    lives = {"lb1": NodeLife("lb1", states)}
    seen = "2 of 3 changes, the first is change 2 (sources: generation, server)"
    assert told(MADE, lives=lives, sources=["generation", "frontend", "server"]) == [
        make_reason("no_effect", fault="reload", seen=seen)
    ]


def test_changes_that_nothing_saw_are_unconfirmed_and_one_that_was_seen_is_enough() -> None:
    assert told(MADE, lives={}) == [make_reason("unconfirmed", fault="reload")]
    assert told(MADE, lives=reloads("1", "2")) == []


def test_owners_points_and_the_held_load_see_changes_as_scrapes_do(tmp_path: Path) -> None:
    """The second change alone: lb2 took the address, announced another priority, and another process answered."""
    begin_us = START_US + 2 * EVERY_US
    points = [
        Point("switchover_vrrp", {"node": "lb2"}, {"holds_vip": False}, START_US * 1000),
        Point("switchover_vrrp", {"node": "lb2"}, {"holds_vip": True}, (begin_us + 1) * 1000),
        Point("switchover_advert", {"node": "lb2"}, {"priority": 90}, START_US * 1000),
        Point("switchover_advert", {"node": "lb1"}, {"priority": 101}, START_US * 1000),
        Point("switchover_advert", {"node": "lb2"}, {"priority": 90}, (START_US + EVERY_US) * 1000),
        Point("switchover_advert", {"node": "lb2"}, {"priority": 95}, (begin_us + 1) * 1000),
    ]
    rows = Rows(tmp_path / "connections.jtl")
    for place, (at_us, worker) in enumerate(((0, "6"), (EVERY_US + 9, "6"), (2 * EVERY_US + 9, "7"))):
        rows.add(at_us, worker=worker, place=f"{place}.1")
    connections = rows.read()
    for source in ("owner", "priority", "worker"):
        seen = f"1 of 2 changes, the first is change 1 (sources: {source})"
        assert told(MADE[:2], lives={}, sources=[source], points=points, connections=connections) == [
            make_reason("no_effect", fault="reload", seen=seen)
        ]


def test_a_held_load_and_its_retrying_clients_leave_an_account() -> None:
    settings = pair_run(connections={"pooled": 1}).settings
    assert told(MADE, settings=settings) == [make_reason("no_account", why="")]
    assert told(MADE) == told(MADE, settings=settings, held_account=HeldAccount(requests=0)) == []
    retrying_clients = (HeldAccount(requests=1, lost=0), HeldAccount(warning="out of memory", lost=2))
    account = HeldAccount(warning="killed", lost=1234, retrying_clients=retrying_clients)
    assert told(MADE, settings=settings, held_account=account) == [
        make_reason("no_account", why=": killed"),
        make_reason("no_account", why=": out of memory"),
        make_reason("samples_lost", worker="the held connections", lost=1234),
        make_reason("samples_lost", worker="the retrying client", lost=2),
    ]


def test_connections_that_were_lost_before_the_first_change_are_counted_and_the_most_common_named(
    tmp_path: Path,
) -> None:
    rows = Rows(tmp_path / "connections.jtl")
    rows.add(0)
    rows.add(1, error=FailureKind.RESET)
    rows.add(EVERY_US, error=FailureKind.TRUNCATED, number=1)
    connections = rows.read()
    figures = measure_changes(MADE, connections, end_us(MADE), samples=no_samples())
    assert told(MADE, connections=connections, figures=figures) == [
        make_reason("load_failed_before", failed=1, total=2, most=": reset pooled once")
    ]
    assert told(MADE, figures=figures) == told(MADE, connections=connections) == []
    assert figures is not None and told(MADE, connections=connections, figures=figures._replace(lost_before=0)) == []


@pytest.mark.parametrize(("failed", "is_told"), [(1, False), (2, True)])
def test_of_a_load_one_request_in_a_hundred_may_fail_before_the_first_change_and_of_probes_none(
    failed: int, is_told: bool
) -> None:
    def asked(at_us: int, number: int, error: FailureKind | None = None) -> list[Sample]:
        one = sample(START_US + at_us, START_US + at_us + 9, success=error is None, error=error)
        return [one._replace(start_us=one.start_us + at, end_us=one.end_us + at) for at in range(number)]

    load = [
        *asked(0, 100 - failed),
        *asked(500, failed, FailureKind.RESET),
        *asked(700, 50, FailureKind.GENERATOR),
        *asked(EVERY_US - 9, 50, FailureKind.RESET),
    ]
    figures: dict[str, Figure] = {
        "failed": failed,
        "total": 100,
        "most": f": reset probe {'once' if failed == 1 else f'{failed} times'}",
    }
    assert told(MADE, samples=load) == ([make_reason("load_failed_before", **figures)] if is_told else [])
    assert told(MADE, probes=load) == [make_reason("failed_before", **figures)]
