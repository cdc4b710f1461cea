"""Phases, and what belongs to each."""

from typing import Any

import pytest

from support.records import stream
from support.request_tables import table_of
from switchover.figures.outage import Outage
from switchover.figures.phases import clean_at_us, phases_of
from switchover.figures.population import population
from switchover.model.failure_kind import FailureKind
from switchover.rundir.points import Point
from switchover.rundir.run_directory import Plan
from switchover.verdict.record import OutageKind, PhaseName
from synthetic import SECOND, away, refused, sample, steady
from vectors import cases

ERRORS = {"ok": None, "failed": FailureKind.RESET, "generator": FailureKind.GENERATOR}


def outage_of(value: list[Any] | None) -> Outage:
    if value is None:
        return Outage(OutageKind.NONE)
    return away(1, from_us=value[0] - 1, censored=value[1])


@pytest.mark.parametrize("case", cases("phases"), ids=lambda case: case["name"])
def test_phases_are_as_the_vectors_say(case: dict[str, Any]) -> None:
    start_us, fired_us, heal_us, end_us = case["plan"]
    plan = Plan(start_us=start_us, fired_from_us=fired_us, heal_from_us=heal_us, end_us=end_us)
    failback = outage_of(case["failback"]) if heal_us is not None else None
    phases = phases_of(plan, outage_of(case["outage"]), failback)
    requests = [
        sample(start, end, intended_us=None, success=result == "ok", error=ERRORS[result], stream="")
        for start, end, result in case["requests"]
    ]
    counted = population(table_of(requests), phases, SECOND)
    found = [
        [phase.name.value, phase.from_us, phase.to_us, counts.total, counts.failed, counts.late]
        for phase in phases
        for counts in (counted.by_phase[phase.name],)
    ]
    assert found == case["expect"]


@pytest.mark.parametrize(
    ("begun_us", "from_us"), [(None, SECOND), (0, SECOND), (SECOND + 1, SECOND + 1), (9 * SECOND, 5 * SECOND)]
)
def test_the_baseline_begins_with_the_first_request_that_was_due(begun_us: int | None, from_us: int) -> None:
    fired = Plan(start_us=SECOND, fired_from_us=5 * SECOND, end_us=8 * SECOND)
    first = phases_of(fired, None, None, begun_us)[0]
    assert (first.name, first.from_us, first.to_us) == (PhaseName.BASELINE, from_us, 5 * SECOND)
    (alone,) = phases_of(Plan(start_us=SECOND, end_us=5 * SECOND), None, None, begun_us)
    assert (alone.from_us, alone.to_us) == (from_us, 5 * SECOND)


@pytest.mark.parametrize(
    ("outage", "clean_us"),
    [
        (None, 9 * SECOND),
        (Outage(OutageKind.NONE), 7 * SECOND),
        (away(SECOND, from_us=2 * SECOND), 3 * SECOND),
        (away(SECOND, from_us=0), 2 * SECOND),
        (away(20 * SECOND), 9 * SECOND),
        (away(SECOND, from_us=2 * SECOND, censored=True), 9 * SECOND),
    ],
)
def test_the_service_is_clean_when_its_outage_ended_between_the_event_and_the_horizon(
    outage: Outage | None, clean_us: int
) -> None:
    assert clean_at_us(outage, 2 * SECOND, 9 * SECOND) == clean_us
    assert clean_at_us(Outage(OutageKind.NONE), 2 * SECOND, 6 * SECOND) == 6 * SECOND


def test_every_request_is_in_exactly_one_phase() -> None:
    phases = phases_of(
        Plan(start_us=0, fired_from_us=SECOND, heal_from_us=3 * SECOND, end_us=5 * SECOND),
        outage_of([2 * SECOND, False]),
        outage_of([4 * SECOND, False]),
    )
    requests = [sample(at, at + 1_500_000) for at in range(-SECOND, 6 * SECOND, 77_777)]
    counted = population(table_of(requests), phases, SECOND)
    assert sum(counts.total for counts in counted.by_phase.values()) == counted.total == len(requests)


def test_unsent_are_listed_and_count_nowhere_else() -> None:
    broken = sample(10, 20, success=False, error=FailureKind.GENERATOR)
    counted = population(table_of([broken, refused(30), *steady(0, 10_000)]), (), SECOND)
    assert (counted.total, counted.failed, counted.unsent) == (11, 1, 1)
    assert counted.by_kind == {"refused": 1}
    assert counted.by_answered_by == {"backend": 10, "none": 1}
    assert counted.by_stream == {"fresh": stream(11, 1)}


def test_counts_add_up_over_streams_and_outcomes() -> None:
    requests = [
        sample(1, 2),
        sample(1, 2, stream="kept"),
        sample(1, 2 * SECOND),
        refused(3),
        sample(4, 5, success=False, error=FailureKind.REFUSED, stream="kept"),
    ]
    counted = population(table_of(requests), (), SECOND)
    assert counted.by_answered_by == {"backend": 3, "none": 2} and counted.by_kind == {"refused": 2}


def test_users_are_added_over_the_processes_and_averaged_over_the_phase() -> None:
    phases = phases_of(Plan(start_us=0, end_us=10 * SECOND), Outage(OutageKind.NONE), None)
    points = [
        Point("switchover_users", {"worker": worker}, {"active": active}, at_s * 10**9)
        for worker, at_s, active in (("a", 1, 10), ("a", 2, 20), ("b", 1, 5), ("b", 11, 500))
    ]
    assert population(table_of([]), phases, SECOND, points).by_phase[PhaseName.BASELINE].users == 20.0
    assert population(table_of([]), phases, SECOND).by_phase[PhaseName.BASELINE].users is None
