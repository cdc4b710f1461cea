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
from switchover.verdict.record import Limit, OutageKind, State
from synthetic import FIRED, SECOND, STEP, away, drill, gap_of, probes, sample

Told = tuple[str, str]


@pytest.fixture(scope="module")
def data() -> RunData:
    return drill()


@pytest.fixture(scope="module")
def verdict(data: RunData) -> Verdict:
    return judge(data, [])


def result(text: str, state: State, figure: Interval | None = None, note: str = "") -> Limit:
    return result_of(parse_limit(text), figure, state, note)


def told(data: RunData, verdict: Verdict, *results: Limit) -> list[Told]:
    found = limit_reasons(data, verdict.events, verdict.figures, results)
    return [(reason.code, reason.text) for reason in found]


def test_what_has_no_source_says_why(data: RunData, verdict: Verdict) -> None:
    results = (
        result("outage=1s", State.UNMEASURED, note="no probe was recorded"),
        result("late=0", State.UNMEASURED),
        result("failed=1%", State.KEPT, Interval(0, 0)),
    )
    assert told(data, verdict, *results) == [
        ("limit_unmeasured", "limit outage=1s: no probe was recorded"),
        ("limit_unmeasured", "limit late=0: the run has no source for this figure"),
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
        (
            "not_recovered",
            "failback: 4,320 ms or longer, because the service had not recovered at the end of the phase",
        )
    ]


def test_a_broken_limit_is_told_with_its_figure_its_limit_and_its_note(data: RunData, verdict: Verdict) -> None:
    broken = result("outage=1s", State.EXCEEDED, Interval(2_989, 3_010), note="with 2 later gaps")
    (reason,) = limit_reasons(data, verdict.events, verdict.figures, [broken])
    assert (reason.code, reason.text) == (
        "limit_exceeded",
        "outage 2,989 to 3,010 ms, limit 1,000 ms (with 2 later gaps)",
    )
    assert (reason.figures["name"], reason.figures["limit"]) == ("outage=1s", "1,000 ms")


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
    (text,) = [text for _, text in told(more, verdict, result(limit, State.EXCEEDED, Interval(9, 9)))]
    assert text.endswith(f" ({most})") if most else text.endswith("limit 0")
    noted = result(limit, State.EXCEEDED, Interval(9, 9), note="9 of 10")
    assert told(more, verdict, noted)[0][1].endswith(f" (9 of 10; {most})" if most else " (9 of 10)")


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
    broken = result("lost=0", State.EXCEEDED, Interval(2, 2))
    assert told(replace(data, connections=connections), felt, broken)[0][1].endswith("(reset pooled 2 times)")
    assert told(data, felt, broken)[0][1].endswith("limit 0")
    assert told(replace(data, connections=connections), verdict, broken)[0][1].endswith("limit 0")


def doubt(verdict: Verdict, data: RunData, limit: str = "outage=1s", **events: Any) -> str:
    """What is said behind an inconclusive limit."""
    seen = replace(verdict, events=replace(verdict.events, **events))
    ((_, text), *_) = told(data, seen, result(limit, State.INCONCLUSIVE, Interval(900, 1100)))
    return text.partition("this run cannot show whether the limit is met")[2]


def nothing_longer_than(unseen_us: int) -> Outage:
    return Outage(OutageKind.NONE, interval_us=STEP, unseen=Span(2 * FIRED, 2 * FIRED + unseen_us))


def test_where_no_outage_was_seen_the_longest_time_without_a_probe_left_it_open(
    data: RunData, verdict: Verdict
) -> None:
    assert doubt(verdict, data, outage=nothing_longer_than(1_234_500)) == "; no probe was sent for 1,234 ms"
    assert doubt(verdict, data, outage=nothing_longer_than(STEP)) == ""
    stolen = MachineSecond(2 * FIRED, 2 * FIRED + SECOND, 900.0, 2, 0.0)
    text = doubt(verdict, data, outage=nothing_longer_than(SECOND), machine=(stolen,))
    assert text.startswith("; no probe was sent for 1,000 ms (the hypervisor took CPU time")


def test_where_one_was_seen_the_longest_probe_gap_at_one_of_its_edges_did() -> None:
    at_begin, at_end = FIRED - 180_000, FIRED + 3 * SECOND - 90_000
    kept = [
        one for one in probes() if not (at_begin < one.start_us < FIRED or at_end < one.start_us < FIRED + 3 * SECOND)
    ]
    held = drill(probes=kept)
    verdict = judge(held, [])
    assert doubt(verdict, held) == "; no probe was sent for 180 ms"
    outage = verdict.events.outage
    assert outage is not None
    as_long = gap_of(12 * SECOND, 12 * SECOND + outage.duration_us)
    assert doubt(verdict, held, outage=replace(outage, later_gaps=(as_long,))) == doubt(verdict, held)


def _failed(at_us: int) -> Sample:
    return sample(at_us, at_us + 1, success=False, error=FailureKind.RESET)
