"""Why a fault, or its heal, is not as planned: which reasons there are, and how they read."""

from dataclasses import replace
from typing import Any

import pytest

from support.records import check
from support.verdict_scenarios import scraped
from switchover.evidence.flaws import Flaw
from switchover.rundir.measurements import EVENT
from switchover.rundir.points import Point
from switchover.rundir.run_directory import FaultRun, Plan, Run
from switchover.verdict.confirmation import _seen
from switchover.verdict.fault_reasons import fault_reasons
from switchover.verdict.judge import judge
from switchover.verdict.limit import parse_limit
from switchover.verdict.reasons import make_reason
from switchover.verdict.record import Confirmation
from switchover.verdict.restoration import PairChecks
from synthetic import END, FIRED, SECOND, drill, pair_run

SEEN = Confirmation(seen=True, checks=[check("probes", True, "300 probes were impaired")])
WHOLE = PairChecks([check("answers", True, "lb1 answers scrapes")], [])
UNFIRED: dict[str, Any] = dict.fromkeys(
    ("fired_from_us", "fired_to_us", "confirmed_us", "heal_from_us", "heal_to_us", "healed_us")
)


def reasons(
    run: Run,
    confirmation: Confirmation | None = SEEN,
    restoration: PairChecks | None = WHOLE,
    points: list[Point] | None = None,
) -> list[tuple[str, str]]:
    return [(reason.code, reason.text) for reason in fault_reasons(run, confirmation, restoration, points or [])]


def reason_of(code: str, **figures: str) -> tuple[str, str]:
    return code, make_reason(code, fault="haproxy-kill", **figures).text


def planned(error: str | None = None, **plan: Any) -> Run:
    """`haproxy-kill`, fired and healed, unless told otherwise."""
    run = pair_run()
    assert run.fault is not None
    return replace(run, fault=replace(run.fault, error=error), plan=replace(run.plan, **plan))


def test_a_restart_by_a_supervisor_confirms_a_kill_whose_proof_fails() -> None:
    """systemd's Restart=always: a measured result, with a warning that says what happened."""
    run = planned("haproxy-kill is not confirmed: it was up again", confirmed_us=None)
    before = scraped("lb1", FIRED - SECOND, generation="1")
    restarted = [*before, *scraped("lb1", FIRED + SECOND // 2, generation="2")]
    vip = drill().points[:2]
    warning = "the balancer on lb1 was killed, and its supervisor restarted it within 0.50 s"
    found = judge(drill(run=run, points=[*vip, *restarted]))
    assert [reason.code for reason in found.record.reasons if reason.code == "not_confirmed"] == []
    assert found.record.warnings[0] == warning
    assert found.figures.prediction is None
    assert warning not in judge(drill(points=[*vip, *restarted])).record.warnings, "the kill was confirmed"
    flaw = Flaw("journal.lp", make_reason("file_damaged", name="journal.lp", what="cut off"))
    assert warning not in judge(drill(run=run, points=[*vip, *restarted], flaws=(flaw,))).record.warnings
    same = judge(drill(run=run, points=[*vip, *before, *scraped("lb1", FIRED + SECOND // 2, generation="1")]))
    assert {"not_confirmed", "no_effect"} & {reason.code for reason in same.record.reasons}


def test_a_run_that_was_refused_has_only_the_reason_of_the_refusal() -> None:
    run = planned("haproxy-kill does not fire: no backup", **UNFIRED, start_us=None, end_us=None)
    refused = judge(drill(run=run, probes=[], points=[]), [parse_limit("outage=5s")])
    assert [reason.code for reason in refused.record.reasons] == ["not_fired"]


def test_a_fault_that_was_fired_seen_and_healed_needs_no_reason() -> None:
    assert reasons(planned()) == []
    assert reasons(planned(), None, None) == []


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (planned(end_us=None), [reason_of("no_end")]),
        (planned(start_us=None), [reason_of("no_end")]),
        (replace(planned(), stopped="by Ctrl-C"), [reason_of("stopped", why="by Ctrl-C")]),
        (planned("interrupted by hand"), [reason_of("stopped", why="interrupted by hand")]),
        (replace(planned("by Ctrl-C"), stopped="by Ctrl-C"), [reason_of("stopped", why="by Ctrl-C")]),
        (
            replace(planned("odd"), stopped="by Ctrl-C"),
            [reason_of("stopped", why="by Ctrl-C"), reason_of("fault_error", why="odd")],
        ),
        (planned("odd"), [reason_of("fault_error", why="odd")]),
        (planned("odd", confirmed_us=None), [reason_of("not_confirmed", why=": odd")]),
        (planned(confirmed_us=None), [reason_of("not_confirmed", why="")]),
        (planned(**UNFIRED), [reason_of("not_fired", why="")]),
        (
            planned("haproxy-kill does not fire: no backup", **UNFIRED),
            [reason_of("not_fired", why=": no backup")],
        ),
        (planned("odd", **UNFIRED, start_us=None, end_us=None), [reason_of("not_fired", why=": odd")]),
        (planned("odd", **UNFIRED, end_us=None), [reason_of("no_end"), reason_of("not_fired", why=": odd")]),
        (replace(planned(**UNFIRED), dry_run=True), []),
        (replace(planned("odd", **UNFIRED), dry_run=True), [reason_of("fault_error", why="odd")]),
    ],
)
def test_what_of_the_plan_was_not_done_is_said(run: Run, expected: list[tuple[str, str]]) -> None:
    assert reasons(run) == expected


@pytest.mark.parametrize(
    ("checks", "expected"),
    [
        ([True, False], []),
        ([None, False], [reason_of("no_effect", seen="text 1")]),
        ([False, False], [reason_of("no_effect", seen="text 0; text 1")]),
        ([None, None], [reason_of("unconfirmed")]),
    ],
)
def test_what_no_source_saw_or_one_denies_is_said(checks: list[bool | None], expected: list[tuple[str, str]]) -> None:
    told = [check(f"kind {number}", holds, f"text {number}") for number, holds in enumerate(checks)]
    confirmation = Confirmation(seen=_seen(told), checks=told)
    assert reasons(planned(), confirmation) == expected


def test_what_is_broken_and_what_has_changed_are_two_reasons() -> None:
    kept = check("answers", True, "as before")
    a, b, c, d = (check("answers", False, text) for text in "abcd")
    found = reasons(planned(), SEEN, PairChecks([a, kept, b], [c, kept, d]))
    assert found == [reason_of("still_broken", seen="a; b"), reason_of("not_restored", seen="c; d")]


def heal_event(text: object, at_us: int, **tags: str) -> Point:
    return Point(EVENT, {"kind": "heal", **tags}, {"text": text}, at_us * 1000)  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("points", "by"),
    [
        ([heal_event("haproxy-kill: healed by hand", FIRED + 500)], "hand"),
        ([heal_event("haproxy-kill: healed by hand", FIRED + 499)], None),
        ([heal_event("haproxy-kill: healed by hand", END, kind="warning")], None),
        ([heal_event("node-down: healed by hand", END)], None),
        ([heal_event(5, END)], None),
        ([heal_event(f"haproxy-kill: healed by {by}", END) for by in ("the watchdog", "hand")], "hand"),
    ],
)
def test_what_others_healed_after_the_kill_is_healed(points: list[Point], by: str | None) -> None:
    said = reasons(planned("odd", healed_us=None), points=points)
    assert said == [reason_of("healed_by_others", by=by, why=": odd") if by else reason_of("not_healed", why=": odd")]


@pytest.mark.parametrize("key", ["fault_planned", "change"])
def test_a_planned_fault_that_was_never_prepared_was_not_fired(key: str) -> None:
    run = pair_run()
    run.plan, run.fault = Plan(start_us=0, end_us=2 * SECOND), None
    run.settings |= {key: "node-down", "fault_at_s": 2.5}
    why = ": it was due after 2.5 s, and the run ended after 2.0 s"
    assert reasons(run, None, None) == [("not_fired", make_reason("not_fired", fault="node-down", why=why).text)]
    run.settings |= {"fault_at_s": 2}
    assert reasons(run, None, None) == [("not_fired", make_reason("not_fired", fault="node-down", why="").text)]


def test_without_a_plan_an_error_is_told_alone() -> None:
    run = pair_run()
    run.plan, run.fault = Plan(start_us=0, end_us=END), FaultRun(name="none", kind="none", error="odd")
    assert reasons(run, None, None) == [reason_of("fault_error", why="odd")]
    run.settings |= {"fault_planned": "node-down"}
    run.dry_run = True
    assert reasons(run, None, None) == [reason_of("fault_error", why="odd")]
    run.dry_run, run.plan.changes = False, [{"number": 1}]
    assert reasons(run, None, None) == [reason_of("fault_error", why="odd")]
    run.fault = None
    assert reasons(run, None, None) == []
