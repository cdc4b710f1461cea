"""The summary on a screen, and the table of repeats."""

from dataclasses import replace

import pytest
from rich.console import Console, RenderableType

from support.report_runs import split_brain
from support.verdict_scenarios import scenarios
from switchover.analysis.artefacts import Artefact, ArtefactName
from switchover.analysis.dead_connections import DeadConnections
from switchover.analysis.limit import parse_limit
from switchover.analysis.outage import Outage, OutageKind
from switchover.analysis.phases import PhaseName
from switchover.analysis.prediction_fit import Series
from switchover.analysis.repeats import Repeats
from switchover.analysis.run_data import RunData
from switchover.analysis.status import Status
from switchover.analysis.timeline import Row, Step
from switchover.analysis.verdict import judge
from switchover.model.failure_kind import FailureKind
from switchover.model.held_kind import HeldKind
from switchover.model.interval import Span
from switchover.report.console import details, figures, headlines, repeat_table, stale_text, summary
from switchover.report.sentence import sentence
from switchover.report.text import observed, outage_text, share, window
from switchover.rundir.run_directory import Plan
from switchover.rundir.run_records import ClockReading
from synthetic import HEAL, SECOND, away, drill, probes, refused, sample, simulate


def shown(renderable: RenderableType, width: int = 80) -> str:
    console = Console(width=width, force_terminal=False, color_system=None)
    with console.capture() as capture:
        console.print(renderable)
    return capture.get()


def summary_of(data: RunData, *limits: str) -> str:
    return shown(summary(judge(data, [parse_limit(text) for text in limits])))


def details_of(data: RunData, *limits: str) -> str:
    return shown(details(judge(data, [parse_limit(text) for text in limits])), 160)


def test_the_summary_fits_one_screen_with_the_line_that_names_the_page() -> None:
    for data in (drill(), simulate(1), drill(probes=[]), drill(points=[])):
        lines = summary_of(data, "outage=5s", "failed=99%", "split-brain=0s", "unaccounted=0").splitlines()
        assert len(lines) <= 22 and all(len(line) <= 80 for line in lines)


def test_the_summary_says_what_the_pair_cost_and_which_count_to_quote() -> None:
    text = summary_of(drill(), "outage=5s")
    assert text.startswith("PASSED  20240101T000000Z-test  haproxy-kill on lb1, backup lb2")
    for expected in (
        "the pair cost      3,010 ms (−21/+0); predicted 2,609 to 4,609 ms: inside",  # noqa: RUF001
        "its failback cost  none longer than 10 ms",
        "300 of 301 (99.7 %) probes of the switchover: quote these",
        "split brain        none",
        "outage=5s kept (2,989 to 3,010 ms)",
        "split-brain=0s kept (0 ms)",
    ):
        assert expected in text, text


def test_old_connections_are_timed_from_the_fault_or_the_heal_where_new_ones_were_served() -> None:
    judged, figures = judge(drill()), {"failed": 40, "last_ms": 5_595}
    unseen = replace(
        judged, events=replace(judged.events, outage=Outage(OutageKind.NONE), failback=Outage(OutageKind.NONE))
    )
    for verdict, event, since in (
        (judged, PhaseName.SWITCHOVER, "switchover"),
        (unseen, PhaseName.SWITCHOVER, "fault"),
        (unseen, PhaseName.FAILBACK, "heal"),
    ):
        said = stale_text(verdict, Artefact(ArtefactName.STALE, event, "", figures))
        assert said == f"40 more requests failed up to 5,595 ms after the {since}, stale, tied to the old master"


def test_what_fell_outside_of_the_switchover_is_named_beside_it() -> None:
    again = [refused(p.start_us) if HEAL + SECOND <= p.start_us < HEAL + 1.2 * SECOND else p for p in probes()]
    text = summary_of(drill(probes=again))
    assert "320 in the whole run: besides 20 in the failback" in text


def test_the_details_have_each_figure_beside_its_second_source() -> None:
    text = details_of(drill(), "outage=5s")
    for expected in (
        "by losses 3,000 ms, time-out 1 s; nothing else longer than 10 ms",
        "2,609 to 4,609 ms: inside",
        "refused 300",
        "handovers up to 1.5 ms",
        "lb1 before, lb2 after",
        "3,000 probes, 0 unsent",
        "lb1: priority 101 to 81",
        "effect, probes: yes, 300 probes were impaired",
        "pair, one_holder: yes, lb1 alone held the address at the end",
    ):
        assert expected in text, text


def test_an_invalid_run_says_so_first() -> None:
    data = drill()
    data.run.plan.confirmed_us = None
    first, second, *_ = summary_of(data, "outage=5s").splitlines()
    assert first.startswith("INVALID") and second.startswith("because: haproxy-kill was fired, but nothing proved")


def test_a_broken_limit_is_seen() -> None:
    text = summary_of(drill(), "outage=1s")
    assert text.startswith("FAILED") and "because: outage 2,989 to 3,010 ms, limit 1,000 ms" in text
    assert "outage=1s EXCEEDED (2,989 to 3,010 ms)" in text


def test_a_service_that_stayed_away_is_not_recovered_also_without_a_limit() -> None:
    text = summary_of(drill(probes=probes(15 * SECOND)))
    assert text.startswith("NOT RECOVERED") and judge(drill(probes=probes(15 * SECOND)), []).exit_code == 1
    again = [refused(p.start_us) if 14 * SECOND <= p.start_us < HEAL else p for p in probes()]
    text = shown(summary(judge(drill(probes=again), [])), 120)
    assert text.startswith("NOT RECOVERED") and "+0), not recovered" in text


def test_the_reason_of_a_prediction_is_whole_but_on_a_screen() -> None:
    data = drill()
    assert data.run.fault is not None
    data.run.fault.predict_reason = reason = "a check fails, and " * 5 + "that is why"
    verdict = judge(data, [])
    assert reason in [source for _, _, source in figures(verdict)]
    assert "that is why" not in shown(summary(verdict), 160)
    assert "that is why" in shown(details(verdict), 250)


def test_sessions_that_moved_are_told() -> None:
    verdict = judge(drill(), [])
    distribution = replace(verdict.figures.distribution, sessions=30, sessions_moved=2)
    moved = replace(verdict, figures=replace(verdict.figures, distribution=distribution))
    assert "; 2 of 30 sessions moved" in shown(details(moved), 160)


def test_what_is_unknown_says_unknown() -> None:
    text = summary_of(drill(points=[]), "split-brain=0s")
    assert "no ownership source of one VRRP" in text and "split-brain=0s unmeasured" in text


def test_a_split_brain_whose_ends_are_not_known_is_no_exact_figure() -> None:
    data = split_brain()
    data.run.clocks = []
    text = summary_of(data, "split-brain=0s")
    assert "split brain        12,000 ms as the lines arrived " in text
    assert "(by lines as they arrived: the balancers' clocks are not known)" in " ".join(text.split())
    assert "split-brain=0s inconclusive (at least 0 ms)" in text
    assert "; split brain for 12.00 s as the lines arrived." in sentence(judge(data))


def test_of_what_only_the_clocks_make_a_handover_it_is_told_how_long_a_split_brain_it_may_have_been() -> None:
    data = split_brain()
    data.run.clocks = [
        ClockReading.of({"node": node, "offset_us": offset_us, "bound_us": 0})
        for node in ("lb1", "lb2")
        for offset_us in (0, 30 * SECOND)
    ]
    text = summary_of(data, "split-brain=0s")
    assert "split brain        at most 72,000 ms" in text
    assert "split-brain=0s inconclusive (0 to 72,000 ms)" in text
    assert "; split brain for at most 72.00 s" in sentence(judge(data))


def test_samples_have_a_line_of_their_own() -> None:
    text = details_of(simulate(1))
    assert "failed samples" in text and "0 requests" in text


def test_hostile_names_are_text_not_markup() -> None:
    data = drill()
    assert data.run.fault is not None
    data.run.fault.victim = "[red]lb1[/red] [link=http://x]"
    assert "[red]lb1[/red]" in summary_of(data)


@pytest.mark.parametrize(
    ("outage", "text"),
    [
        (Outage(OutageKind.NONE, unseen=Span(0, 10_001)), "none longer than 11 ms"),
        (away(3_412_499, 1_001), "3,412 ms (−2/+0)"),  # noqa: RUF001
        (away(3_412_500, 0), "3,413 ms (−0/+0)"),  # noqa: RUF001
        (away(7_900, 7_900), "8 ms (−8/+0)"),  # noqa: RUF001
        (away(2_000_000, 2_000, kind=OutageKind.PARTIAL), "2,000 ms (−2/+0), partial"),  # noqa: RUF001
        (away(9_999_999, 0, censored=True), "at least 9,999 ms, not recovered"),
    ],
)
def test_an_outage_is_one_phrase(outage: Outage, text: str) -> None:
    assert outage_text(outage) == text


@pytest.mark.parametrize(
    ("part", "total", "text"),
    [
        (12, 4000, "12 of 4,000 (0.3 %)"),
        (61, 61, "61 of 61 (100 %)"),
        (0, 61, "0 of 61 (0 %)"),
        (1, 20_000_000, "1 of 20,000,000 (0.000005 %)"),
        (0, 0, "none was sent"),
    ],
)
def test_a_share_has_no_exponent(part: int, total: int, text: str) -> None:
    assert share(part, total) == text


def test_a_window_says_what_theory_leaves_open() -> None:
    assert [window(None, None), window(5609, None), window(2609.375, 3609.375)] == [
        "unknown",
        "at least 5,609 ms",
        "2,609 to 3,609 ms",
    ]


def test_repeats_are_a_table_and_a_distribution() -> None:
    verdicts = [(f"run-{number}", judge(drill(), [])) for number in range(3)]
    series = Series(
        outages_ms=(3000.0, 3005.0, 3010.0), low_ms=2609.375, high_ms=3609.375, outside=0, distance=0.31, p=0.42
    )
    text = shown(repeat_table(Repeats(verdicts, 5, series, Status.STOPPED)), 100)
    assert text.count("3,010 ms") >= 3 and "yes" in text
    assert "3 of 5 drills; 0 not recovered, 0 invalid, 0 less sharp" in text
    assert "outage: 3,000 to 3,010 ms, median 3,005 ms, 3 drills" in text
    assert "0 outside" in text and "uniform over the window: agrees, Kolmogorov D = 0.310, p = 0.42" in text


def test_a_refuted_distribution_is_loud() -> None:
    series = Series(outages_ms=(3600.0,) * 2, low_ms=2609.0, high_ms=3609.0, outside=0, distance=0.99, p=0.0001)
    repeats = Repeats([], 0, series, Status.REFUTED)
    assert "REFUTED (p < 0.001)" in shown(repeat_table(repeats))
    nothing = replace(repeats, series=replace(series, outages_ms=()))
    assert "there is no distribution" in shown(repeat_table(nothing))


def test_what_refuted_a_series_is_told_where_it_did() -> None:
    series = Series(outages_ms=(4000.0,) * 2, low_ms=2609.0, high_ms=3609.0, outside=2, distance=0.2, p=0.42)
    text = shown(repeat_table(Repeats([], 0, series, Status.REFUTED)), 100)
    assert "2,609 to 3,609 ms: 2 outside, REFUTED" in text and "uniform over the window: agrees" in text


def test_a_run_that_failed_everywhere_can_still_be_shown() -> None:
    late = [sample(p.start_us, p.start_us + 2 * SECOND) for p in probes()]
    assert "late" in summary_of(drill(probes=late))
    assert "INVALID" in summary_of(drill(probes=[]))


def test_a_step_that_no_source_saw_names_the_one_that_would_have() -> None:
    assert observed(Row(Step.DETECTION)).startswith("unknown: Keepalived's FIFO on the victim (vip_owner)")
    assert observed(Row(Step.ELECTED)) == "unknown: a vip_owner on each balancer would show it"
    assert observed(Row(Step.CLEAN, source="probes: not recovered")) == "probes: not recovered"


def test_a_word_that_is_no_pass_says_what_to_do_next() -> None:
    (nothing_hit,) = (data for name, data in scenarios() if name == "a kill that hit nothing")
    text = shown(summary(judge(nothing_hit)))
    assert text.startswith("NO EFFECT") and "next: try the kill command by hand" in text


def test_the_first_sentence_counts_no_request_that_the_end_of_the_test_cut() -> None:
    good = [sample(at * 10_000, at * 10_000 + 500) for at in range(981)]
    unsent = [sample(at * 10_000, at * 10_000 + 100, success=False, error=FailureKind.GENERATOR) for at in range(19)]
    data = drill(probes=(), samples=good + unsent)
    data.run.plan = Plan(start_us=0, end_us=10 * SECOND)
    data.run.settings |= {"probe_rate": 0.0}
    verdict = judge(data)
    assert dict(headlines(verdict))["failed"] == "0 of 981 (0 %) requests"
    assert "; 0 of 981 requests failed;" in sentence(verdict)


def test_what_told_of_dead_connections_is_a_table() -> None:
    verdict = judge(drill(), [])
    dead = DeadConnections(
        kind=HeldKind.SSE,
        open=20,
        dead=20,
        by_fin=0,
        by_rst=0,
        by_timeout=0,
        untold=20,
        median_us=None,
        longest_us=None,
    )
    table = shown(summary(replace(verdict, figures=replace(verdict.figures, dead=(dead,)))))
    assert "dead connections: what told their owners" in table
    assert table.split("sse", 1)[1].split()[:6] == ["20", "20", "0", "0", "0", "20"]
