"""The word on a run: which of several, with which exit code, by which reasons."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from support.verdict_scenarios import observed
from switchover.verdict.judge import Verdict, _status, judge
from switchover.verdict.reasons import REASONS, because, make_reason, status_of
from switchover.verdict.record import Figure, Status
from synthetic import FIRED, HEAL, SECOND
from vectors import cases

FIGURES: dict[str, Figure] = {
    **dict.fromkeys(
        ("fault", "why", "seen", "by", "node", "master", "worker", "name", "event", "figure", "what", "most"), "x"
    ),
    **dict.fromkeys(("limit", "limit", "run"), "x"),
    **dict.fromkeys(("failed", "late", "total", "answers", "lost", "recorded", "found"), 1),
    **dict.fromkeys(("unseen_ms", "low_ms", "high_ms"), 1),
    "after_s": 1.0,
    "early_s": 1.0,
}


@pytest.fixture(scope="module")
def passed() -> Verdict:
    return judge(observed("outage=5s"))


@pytest.mark.parametrize("case", cases("statuses"), ids=lambda case: case["name"])
def test_the_word_is_as_the_vectors_say(case: dict[str, Any], passed: Verdict) -> None:
    limits = [one for one in passed.record.limits if not one.default] if case["limit_given"] else []
    reasons = [make_reason(code, **FIGURES) for code in case["reasons"]]
    found = _status(replace(passed.events.run, dry_run=case["dry_run"]), limits, reasons)
    assert (found["status"], found["exit_code"], found["valid"]) == (
        case["verdict"],
        case["exit_code"],
        case["valid"],
    )


def test_the_words_and_the_reasons_are_those_of_the_vectors() -> None:
    assert [(status.value, status.exit_code) for status in Status] == [
        (case["verdict"], case["exit_code"]) for case in cases("statuses", "statuses")
    ]
    reasons = [make_reason(code, **FIGURES) for code in REASONS]
    assert [(reason.code, status_of(reason).value) for reason in reasons] == [
        (case["code"], case["verdict"]) for case in cases("statuses", "reasons")
    ]


def test_figures_in_a_text_have_separators_and_decimals(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "{name}: {lost:,} lost {early_s:.1f} s before{why}"
    monkeypatch.setitem(REASONS, "stopped", msgspec.structs.replace(REASONS["stopped"], text=text))
    figures: dict[str, Figure] = {"name": "a", "lost": 1234, "early_s": 2.25, "why": ": b"}
    assert make_reason("stopped", **figures).text == "a: 1,234 lost 2.2 s before: b"
    assert make_reason("stopped", **figures, cause="c").text == "a: 1,234 lost 2.2 s before: b (c)"


def texts(verdict: Verdict) -> list[str]:
    return [reason.text for reason in verdict.record.reasons]


def test_an_address_that_was_to_return_and_stayed_leaves_the_pair_not_restored() -> None:
    data = observed("outage=5s")
    assert data.run.fault is not None
    stayed = [p for p in data.points if p.measurement != "switchover_vrrp" or p.time_ns // 1000 < HEAL]
    assert judge(replace(data, points=stayed)).record.status is Status.PASSED, "by nopreempt it may stay"
    data.run.fault.failback_settled_ms = 4_000.0
    verdict = judge(replace(data, points=stayed))
    assert verdict.record.status is Status.NOT_RESTORED and verdict.record.exit_code == 1
    assert texts(verdict) == [
        make_reason("not_restored", seen="lb2 holds the address, but lb1 should hold it again").text
    ]


def test_a_keepalived_fault_that_moved_nothing_is_denied_only_where_nothing_was_impaired() -> None:
    data = observed("outage=5s", killed=False, probed_down_us=0, answers_move=False)
    assert data.run.fault is not None
    data.run.fault.name = "keepalived-stop"
    still = [p for p in data.points if p.measurement != "switchover_vrrp" or p.time_ns // 1000 < FIRED]
    assert texts(judge(replace(data, points=still))) == [
        make_reason("no_effect", fault="keepalived-stop", seen="lb2 never got the address").text
    ]
    away = observed(probed_down_us=15 * SECOND, killed=False)
    assert away.run.fault is not None
    away.run.fault.name = "keepalived-stop"
    assert judge(replace(away, points=still)).record.status is Status.NOT_RECOVERED, "the backup may be broken"


def test_a_fault_names_its_own_sources() -> None:
    data = observed("outage=5s", killed=False)
    assert data.run.fault is not None
    data.run.fault.name = "our-own-kill"
    assert judge(data).record.status is Status.PASSED, "of a fault that names none, none denies"
    data.run.fault.sources = ["generation"]
    assert judge(data).record.status is Status.NO_EFFECT


def test_a_default_limit_makes_no_measured_run_passed() -> None:
    verdict = judge(observed())
    assert verdict.record.limits and verdict.record.status is Status.MEASURED


def test_what_is_known_of_a_reason_stands_behind_it() -> None:
    assert [because(why) for why in ("the disk is full", "", None)] == [": the disk is full", "", ""]
