"""Why a limit is not kept: what the reason says, with the requests that failed and the probe gap that left it
open."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.changes import EVERY_US, Rows, change, end_us, no_samples
from support.request_tables import changed
from switchover.evidence.machine import MachineSecond
from switchover.evidence.run_data import RunData
from switchover.figures.changes.changes import measure_changes
from switchover.figures.outage import Outage
from switchover.model.failure_kind import FailureKind
from switchover.model.interval import Interval, Span
from switchover.rundir.sample_log import Sample
from switchover.verdict.judge import Verdict, judge
from switchover.verdict.limit import parse_limit
from switchover.verdict.limit_checks import result_of
from switchover.verdict.limit_reasons import limit_reasons
from switchover.verdict.reasons import make_reason
from switchover.verdict.record import Figure, Limit, OutageKind, Reason, State
from synthetic import FIRED, SECOND, STEP, away, drill, gap_of, probes, sample


@pytest.fixture(scope="module")
def data() -> RunData:
    return drill()


@pytest.fixture(scope="module")
def verdict(data: RunData) -> Verdict:
    return judge(data, [])


def result(text: str, state: State, figure: Interval | None = None, note: str = "") -> Limit:
    return result_of(parse_limit(text), figure, state, note)


def told(data: RunData, verdict: Verdict, *results: Limit) -> list[Reason]:
    return list(limit_reasons(data, verdict.events, verdict.figures, results))


def why_of(data: RunData, verdict: Verdict, exceeded: Limit) -> Figure:
    return told(data, verdict, exceeded)[0].figures["why"]


def test_what_has_no_source_says_why(data: RunData, verdict: Verdict) -> None:
    results = (
        result("outage=1s", State.UNMEASURED, note="no probe was recorded"),
        result("late=0", State.UNMEASURED),
        result("failed=1%", State.KEPT, Interval(0, 0)),
    )
    assert told(data, verdict, *results) == [
        make_reason("limit_unmeasured", name="outage=1s", why="no probe was recorded"),
        make_reason("limit_unmeasured", name="late=0", why="the run has no source for this figure"),
    ]


@pytest.mark.parametrize(
    "open_end",
    [
        away(4_321_999, 1_000, censored=True),
        away(9_000_000, later_gaps=(gap_of(20_000_000, 24_321_999, early_us=1_000, closed=False),)),
    ],
)
def test_a_service_that_was_not_back_is_told_with_the_least_that_it_was_away(
    data: RunData, verdict: Verdict, open_end: Outage
) -> None:
    events = replace(verdict.events, failback=open_end)
    assert told(data, replace(verdict, events=events)) == [
        make_reason("not_recovered", figure="failback", low_ms=4_320)
    ]


def test_an_exceeded_limit_is_reported_with_its_figure_its_limit_and_its_note(
    data: RunData, verdict: Verdict
) -> None:
    exceeded = result("outage=1s", State.EXCEEDED, Interval(2_989, 3_010), note="with 2 later gaps")
    (reason,) = limit_reasons(data, verdict.events, verdict.figures, [exceeded])
    assert reason == make_reason(
        "limit_exceeded",
        name="outage=1s",
        figure="outage 2,989 to 3,010 ms",
        limit="1,000 ms",
        why=" (with 2 later gaps)",
    )


@pytest.mark.parametrize(
    ("limit", "most"),
    [
        ("failed=1", "refused probe 300 times"),
        ("failed-total=1", "refused probe 300 times, reset probe once"),
        ("late=0", ""),
    ],
)
def test_of_failed_requests_the_most_common_are_named(data: RunData, verdict: Verdict, limit: str, most: str) -> None:
    """One more failed before the fault, and no load was with the probes."""
    more = changed(data, probes=[_failed(SECOND + 1), *probes()])
    (reason,) = told(more, verdict, result(limit, State.EXCEEDED, Interval(9, 9)))
    assert reason.figures["why"] == (f" ({most})" if most else "")
    noted = result(limit, State.EXCEEDED, Interval(9, 9), note="9 of 10")
    assert why_of(more, verdict, noted) == (f" (9 of 10; {most})" if most else " (9 of 10)")


def test_of_lost_connections_those_that_belong_to_a_change_are_named(
    data: RunData, verdict: Verdict, tmp_path: Path
) -> None:
    rows = Rows(tmp_path / "connections.jtl")
    rows.add(0, error=FailureKind.TRUNCATED)
    rows.add(EVERY_US, error=FailureKind.RESET, number=1)
    rows.add(2 * EVERY_US, error=FailureKind.RESET, number=2)
    made, connections = [change(1), change(2)], rows.read()
    changes = measure_changes(made, connections, end_us(made), samples=no_samples())
    felt = replace(verdict, figures=replace(verdict.figures, changes=changes))
    exceeded = result("lost=0", State.EXCEEDED, Interval(2, 2))
    assert why_of(replace(data, connections=connections), felt, exceeded) == " (reset pooled 2 times)"
    assert why_of(data, felt, exceeded) == ""
    assert why_of(replace(data, connections=connections), verdict, exceeded) == ""


def doubt(verdict: Verdict, data: RunData, limit: str = "outage=1s", **events: Any) -> tuple[Figure, Figure]:
    """Return why a limit is inconclusive, and the cause from the machine's counters."""
    seen = replace(verdict, events=replace(verdict.events, **events))
    (reason, *_) = told(data, seen, result(limit, State.INCONCLUSIVE, Interval(900, 1100)))
    assert reason == make_reason("limit_inconclusive", **reason.figures)
    return reason.figures["why"], reason.figures.get("cause", "")


def nothing_longer_than(unseen_us: int) -> Outage:
    return Outage(OutageKind.NONE, interval_us=STEP, unseen=Span(2 * FIRED, 2 * FIRED + unseen_us))


def test_where_no_outage_was_seen_the_longest_time_without_a_probe_left_it_open(
    data: RunData, verdict: Verdict
) -> None:
    assert doubt(verdict, data, outage=nothing_longer_than(1_234_500)) == ("; no probe was sent for 1,234 ms", "")
    assert doubt(verdict, data, outage=nothing_longer_than(STEP)) == ("", "")
    stolen = MachineSecond(2 * FIRED, 2 * FIRED + SECOND, 900.0, 2, 0.0)
    why, cause = doubt(verdict, data, outage=nothing_longer_than(SECOND), machine=(stolen,))
    assert why == "; no probe was sent for 1,000 ms"
    assert str(cause).startswith("the hypervisor took CPU time")


def test_where_one_was_seen_the_longest_probe_gap_at_one_of_its_edges_did() -> None:
    at_begin, at_end = FIRED - 180_000, FIRED + 3 * SECOND - 90_000
    kept = [
        one for one in probes() if not (at_begin < one.start_us < FIRED or at_end < one.start_us < FIRED + 3 * SECOND)
    ]
    held = drill(probes=kept)
    verdict = judge(held, [])
    assert doubt(verdict, held) == ("; no probe was sent for 180 ms", "")
    outage = verdict.events.outage
    assert outage is not None
    as_long = gap_of(12 * SECOND, 12 * SECOND + outage.duration_us)
    assert doubt(verdict, held, outage=replace(outage, later_gaps=(as_long,))) == doubt(verdict, held)


def _failed(at_us: int) -> Sample:
    return sample(at_us, at_us + 1, success=False, error=FailureKind.RESET)
