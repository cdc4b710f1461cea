"""The summary on a screen, the figures in it, and names from outside."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from textwrap import wrap
from typing import Any

import pytest
from msgspec import convert
from msgspec.structs import replace as changed
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from support.changes import series
from support.contract import vectors
from support.report_runs import split_brain, without_a_fault
from switchover.evidence.run_data import RunData
from switchover.model.identity import AnsweredBy, Identity
from switchover.model.redaction import escape_controls
from switchover.report import console
from switchover.report import figures_text as text
from switchover.report.documents import Judged, judged_of, read_judged, tree_of
from switchover.report.make_report import make_report
from switchover.report.screen import screen_text, without_commands
from switchover.report.summary import Summary, summarize
from switchover.report.tables import source_of
from switchover.rundir.measurements import VRRP
from switchover.rundir.run_directory import run_of
from switchover.verdict import record
from switchover.verdict.judge import judge
from switchover.verdict.limit import parse_limit
from switchover.verdict.reasons import REASONS, make_reason
from switchover.verdict.record import Row as RowFigures
from switchover.verdict.record import Status, Step
from switchover.verdict.series.series_json import describe_run
from synthetic import SECOND, drill, probes


def shown(renderable: RenderableType, width: int = 80) -> str:
    screen = Console(width=width, force_terminal=False, color_system=None)
    with screen.capture() as capture:
        screen.print(renderable)
    return "\n".join(line.rstrip() for line in capture.get().rstrip().splitlines())


@cache
def good() -> Judged:
    return judged_of(judge(drill(), []))


def judged(data: RunData, *limits: str) -> Judged:
    return judged_of(judge(data, [parse_limit(limit) for limit in limits]))


def text_of(data: RunData, *limits: str, width: int = 80) -> str:
    return shown(console.summary(judged(data, *limits)), width)


def test_the_summary_of_a_run_without_limits() -> None:
    assert text_of(drill()).splitlines() == [
        "MEASURED (no limit set)  haproxy-kill on lb1 -> lb2 took over",
        "  Outage      3.01 s    (2.989–3.010; predicted 2.61–4.61 s ✓)",
        "  Failback    ≤ 10 ms   none seen",
        "  Failed      300 of 301 probes during the outage",
        "  Split brain none",
        "  Accounting  unknown   no counters",
    ]


def test_limits_come_first_the_worst_first_and_no_figure_is_printed_twice() -> None:
    assert text_of(drill(), "failback=5s", "outage=2s", "late=0").splitlines() == [
        "FAILED (exit 1)  haproxy-kill on lb1 -> lb2 took over",
        "✗ Outage      3.01 s    (2.989–3.010; predicted 2.61–4.61 s ✓)   limit 2.00 s",
        "✓ Failback    ≤ 10 ms   none seen   limit 5.00 s",
        "✓ Late        0         0 of 301   limit 0",
        "✓ Split brain none",
        "  Timeline    after the fault: detected +0.400 s; new master +2.998 s; recovered",
        "              +3.000 s",
        "  Failed      300 of 301 probes during the outage",
        "  Accounting  unknown   no counters",
        *wrap(REASONS["limit_exceeded"].remedy, 80, initial_indent="  Next        ", subsequent_indent=" " * 14),
    ]


def test_an_inconclusive_limit_has_its_cause_unless_another_limit_is_exceeded() -> None:
    cause = "  Cause       " + REASONS["limit_inconclusive"].cause
    assert cause in text_of(drill(), "outage=3s", width=400).splitlines()
    assert cause not in text_of(drill(), "outage=3s", "failed-total=1", width=400).splitlines()


def test_an_invalid_run_says_why_what_to_do_and_that_its_figures_are_not_to_be_quoted() -> None:
    data = drill()
    data.run.plan.confirmed_us = None
    first, why, *_, seen = text_of(data, "outage=1s", width=400).splitlines()
    assert first == "INVALID (exit 2)  haproxy-kill on lb1: no conclusion about your pair; the fault on lb1 is healed"
    assert why == "  Why         " + make_reason("not_confirmed", fault="haproxy-kill", why="").text
    assert seen.startswith("  Seen        outage 3.01 s, ") and seen.endswith(" (do not quote)")


def test_reasons_with_the_same_cause_have_one_cause() -> None:
    missing = [make_reason("part_missing", name=name) for name in ("a.jtl", "b.jtl")]
    verdict = changed(good().verdict, reasons=[*missing, make_reason("no_sample")])
    names = [name for name, _ in summarize(Judged(verdict, good().run)).why]
    assert names == ["Why", "Why", "Cause", "Why", "Cause"]


def test_a_warning_that_a_reason_repeats_is_not_printed() -> None:
    reason = make_reason("no_account", why="the prober was killed by signal 9")
    verdict = changed(good().verdict, reasons=[reason], warnings=["the prober was killed by signal 9", "another"])
    assert summarize(Judged(verdict, good().run)).warnings == ("another",)


def test_every_verdict_that_is_no_success_says_what_to_do_next_on_one_screen() -> None:
    statuses = set()
    for case in vectors("verdicts.json", "cases"):
        reasons = [make_reason(one["code"], **one["figures"]) for one in case["expect"]["reasons"]]
        verdict = changed(convert(case["expect"] | {"reasons": []}, record.Verdict), reasons=reasons)
        one = Judged(verdict, tree_of(describe_run(run_of(case["run"]))))
        found = summarize(one)
        is_explained = bool(found.why) or any(mark in "✗?" for mark, *_ in found.rows if mark)
        assert (verdict.exit_code == 0) == (not found.next_step), case["name"]
        assert verdict.exit_code == 0 or is_explained, case["name"]
        rows = shown(console.summary(one)).splitlines()
        assert len(rows) <= 24 and all(len(row) <= 80 for row in rows), case["name"]
        statuses.add(verdict.status)
    assert statuses == set(Status) - {Status.REFUTED}


@pytest.mark.parametrize(
    ("since_us", "event", "since"),
    [(1, "switchover", "recovery"), (None, "switchover", "fault"), (None, "failback", "heal")],
)
def test_stale_connections_are_timed_from_the_end_of_an_outage_or_from_the_fault(
    since_us: int | None, event: str, since: str
) -> None:
    verdict, run = good()
    assert verdict.outage and verdict.failback
    stale = record.Artefact(
        name=record.ArtefactName.STALE,
        event=record.PhaseName(event),
        text="",
        figures={"failed": 40, "last_ms": 5_595},
    )
    found = Judged(
        changed(
            verdict,
            outage=changed(verdict.outage, from_us=since_us),
            load=record.Load(longest_gap=None, artefacts=[stale]),
        ),
        run,
    )
    name = "Outage" if event == "switchover" else "Failback"
    line = next(f"{value} {rest}" for _, one, value, rest in summarize(found).rows if one == name)
    assert f"40 requests on stale connections failed, up to 5.59 s after the {since}" in line
    assert ("new connections" in line) == (event == "failback")


def restarted() -> RunData:
    """The supervisor started lb1 again before Keepalived noticed."""
    by_lb1 = Identity("web1", "lb1", AnsweredBy.BACKEND)
    data = drill(probes=[one._replace(identity=by_lb1) for one in probes()])
    return replace(data, points=[point for point in data.points if point.measurement != VRRP])


@pytest.mark.parametrize(
    ("data", "subject"),
    [
        (drill(), "haproxy-kill on lb1 -> lb2 took over"),
        (split_brain(), "haproxy-kill on lb1"),
        (restarted(), "haproxy-kill on lb1"),
        (without_a_fault(), "measured without a fault"),
        (drill(probes=probes(15 * SECOND)), "haproxy-kill on lb1 -> the service did not recover"),
    ],
)
def test_the_subject_names_the_nodes_and_what_came_of_it(data: RunData, subject: str) -> None:
    assert summarize(judged(data)).subject == subject


def test_hostile_names_are_text_not_markup() -> None:
    data = drill()
    assert data.run.fault is not None
    data.run.fault.victim = "[red]lb1[/red] [link=http://x]"
    assert "[red]lb1[/red]" in text_of(data)


def outage(kind: str, low: float, high: float | None, **more: Any) -> record.Outage:
    found = good().verdict.outage
    assert found
    return changed(found, kind=record.OutageKind(kind), low_ms=low, high_ms=high, **more)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (outage("none", 0, 10.001, detection_limit_ms=10.001), ("≤ 11 ms", "", ["none seen"])),
        (outage("none", 0, 1_234.5, detection_limit_ms=1_234.5), ("≤ 1.24 s", "", ["none seen"])),
        (outage("outage", 3_411.498, 3_412.499), ("3.41 s", "3.411–3.413", [])),
        (outage("outage", 0, 7.9), ("8 ms", "0–8 ms", [])),
        (outage("outage", 990, 999.4), ("999 ms", "990–1,000 ms", [])),
        (outage("partial", 1_998, 2_000), ("2.00 s", "1.998–2.000", ["partial: some requests were answered"])),
        (outage("outage", 9_999.999, None, recovered=False), ("≥ 9.99 s", "", ["not recovered"])),
        (outage("outage", 1, 2, gap_count=3, later_gap_count=1), ("2 ms", "1–2 ms", ["3 gaps", "1 later gap"])),
    ],
)
def test_an_outage_is_a_length_its_interval_and_notes(found: record.Outage, expected: object) -> None:
    assert (text.length(found), text.length_bounds(found), text.outage_notes(found)) == expected


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (text.percent(12, 4000), "0.3 %"),
        (text.percent(1, 20_000_000), "0.000005 %"),
        (text.percent(0, 0), "-"),
        (text.upper_percent(0.00999), "1.0 %"),
        (text.upper_percent(0.9021), "91 %"),
        (text.window(None, None), "unknown"),
        (text.window(5609, None), "≥ 5.60 s"),
        (text.window(2609.375, 3609.375), "2.61–3.61 s"),
        (text.window(0, 100), "0–100 ms"),
        (text.window(0, 0), "0 ms"),
        (text.signed(-12.5), "-0.013 s"),
    ],
)
def test_a_figure_is_printed_as(shown: str, expected: str) -> None:
    assert shown == expected


def limited(name: str, low: float | None, high: float | None, limit: float | None, unit: str) -> record.Limit:
    return record.Limit(
        name=record.LimitName(name),
        limit=limit,
        unit=record.Unit(unit),
        low=low,
        high=high,
        state=record.State.KEPT,
        default=False,
        note="",
    )


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (limited("outage", 3376, 3383.1, 3125, "ms"), (("3.38 s", "3.376–3.384"), "3.125 s")),
        (limited("outage", 9987, None, None, "ms"), (("≥ 9.98 s", ""), "usual")),
        (limited("failed", 0.01, 0.0125, 0.015, "share"), (("1.25 %", "1 %–1.25 %"), "1.5 %")),
        (limited("lost", 2, 2, 20, "requests"), (("2", ""), "20")),
        (limited("delay", None, None, 50, "ms"), (("not measured", ""), "50 ms")),
    ],
)
def test_a_limit_and_its_figure(limit: record.Limit, expected: object) -> None:
    assert (text.limit_figure(limit), text.limit_text(limit)) == expected


def test_a_silence_is_rounded_outwards() -> None:
    def silence(low_ms: float, high_ms: float | None) -> record.Silence:
        return record.Silence(
            from_us=0, to_us=3_500_000, duration_ms=3500.0,
            low_ms=low_ms, high_ms=high_ms, failed=1, by_kind={"refused": 1}, in_progress=2,
        )  # fmt: skip

    ends = "from 1970-01-01 00:00:00.000 UTC; 1 failed: refused 1; 2 requests in progress"
    assert text.proven(silence(3412.6, None)) == f"≥ 3.41 s, to the end of the log, {ends}"
    assert text.proven(silence(3412.6, 3420.4)) == f"3.42 s (3.412–3.421) {ends}"
    assert text.silence(silence(0, 500.4)) == "0.51 s (1 failed: refused 1; 2 requests in progress)"


def test_a_step_that_no_source_saw_names_the_source_that_would_have() -> None:
    def row(step: Step, source: str = "unknown") -> Any:
        return RowFigures(
            step=step,
            at_us=None,
            bound_ms=None,
            after_kill_ms=None,
            stamped_late_ms=0.0,
            source=source,
            order_unknown=False,
        )

    assert source_of(row(Step.DETECTION)).startswith(
        "unknown: this step needs Keepalived's FIFO on the victim (vip_owner)"
    )
    assert source_of(row(Step.ELECTED)) == "unknown: this step needs a vip_owner on each balancer"
    assert source_of(row(Step.RECOVERY, "probes: not recovered")) == "probes: not recovered"


def test_connections_that_the_fault_cut_have_a_line_for_each_kind() -> None:
    verdict, run = good()
    dead = record.DeadConnections(
        kind="sse", open=20, dead=20, by_fin=0, by_rst=5, by_timeout=0, untold=15, median_ms=None, longest_ms=None
    )
    found: Summary = summarize(Judged(changed(verdict, dead_connections=[dead]), run))
    assert ("", "sse", "20 of 20 connections cut; noticed: 5 by RST, 15 by nothing", "") in found.rows


@pytest.mark.parametrize(
    ("kind", "lost", "printed"),
    [("pooled", 12, "12 of 90 lost"), ("pooled", 105, "105 lost"), ("samples", 12, "12 lost")],
)
def test_losses_of_a_change_are_a_share_if_each_connection_can_be_lost_only_once(
    kind: str, lost: int, printed: str, tmp_path: Path
) -> None:
    directory = series(tmp_path / "run")
    make_report(directory)
    run = read_judged(directory)
    changes = run.verdict.changes
    assert changes is not None
    one = changed(changes.kinds[0], kind=kind, exposed=90, lost=lost)
    verdict = changed(run.verdict, changes=changed(changes, kinds=[one]))
    assert [line.value for line in summarize(Judged(verdict, run.run)).lines if line.name == kind] == [printed]


def test_control_characters_are_shown_and_do_nothing() -> None:
    assert escape_controls("a\x1b[2Jb\rc\x07\x9b\u202ed") == "a\\x1b[2Jb\\rc\\x07\\x9b\\u202ed"
    assert escape_controls("tab\tand\nline, ü, 漢") == "tab\tand\nline, ü, 漢"


def test_what_is_shown_is_as_the_console_prints_it() -> None:
    table = Table()
    table.add_column("name")
    table.add_row(Text("web1", style="bold"))
    shown = Group(table, Text("done", style="red"))
    console = Console(force_terminal=True, width=40, color_system="truecolor")
    with console.capture() as captured:
        console.print(shown)
    assert screen_text(shown, console) == captured.get()
    assert "\x1b]0;x" not in screen_text(Text("web\x1b]0;x\x07"), console)


def test_no_name_from_outside_is_a_command_of_github_actions() -> None:
    text = "::error::forged ##[group]x"
    assert without_commands(text, {"GITHUB_ACTIONS": "true"}) == ": :error: :forged # #[group]x"
    assert without_commands(text, {}) == text
