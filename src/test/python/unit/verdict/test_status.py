"""The word on a run: which of several, with which exit code, by which reasons."""

from dataclasses import replace
from typing import Any

import pytest

from support.verdict_scenarios import (
    ended_before_the_failback,
    healed_at_the_end,
    healed_between_scrapes,
    healed_for_a_killed_run,
    observed,
    unwritten_journal,
)
from switchover.rundir.points import Point
from switchover.verdict.judge import Verdict, _word, judge
from switchover.verdict.reasons import REASONS, because, make_reason, word_of
from switchover.verdict.record import Figure, Status
from switchover.verdict.warning_texts import RESTORATION_UNKNOWN
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
    found = _word(replace(passed.run, dry_run=case["dry_run"]), limits, reasons)
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
    assert [(r.code, word_of(r).value, r.text) for r in reasons] == [
        (case["code"], case["verdict"], case["text"].format_map(FIGURES)) for case in cases("statuses", "reasons")
    ]


def texts(verdict: Verdict) -> list[str]:
    return [reason.text for reason in verdict.reasons]


def test_a_kill_that_hit_nothing_has_no_effect_though_its_commands_succeeded() -> None:
    verdict = judge(observed("outage=5s", killed=False, probed_down_us=0, answers_move=False))
    assert verdict.status is Status.NO_EFFECT and verdict.exit_code == 2
    assert texts(verdict) == ["haproxy-kill was fired without effect: the same process answered on lb1 all the time"]


def test_a_kill_is_not_denied_by_scrapes_from_before_it() -> None:
    verdict = judge(healed_between_scrapes())
    assert verdict.record.confirmation is not None
    assert {check.name: check.holds for check in verdict.record.confirmation.checks}["generation"] is None
    assert verdict.status is not Status.NO_EFFECT


def test_a_heal_that_did_nothing_is_not_healed_though_its_commands_succeeded() -> None:
    verdict = judge(observed("outage=5s", healed=False))
    assert verdict.status is Status.NOT_HEALED
    assert texts(verdict) == ["haproxy-kill was healed, but no scrape of lb1 succeeds any more"]


def test_an_address_that_was_to_return_and_stayed_leaves_the_pair_not_whole() -> None:
    data = observed("outage=5s")
    assert data.run.fault is not None
    stayed = [p for p in data.points if p.measurement != "switchover_vrrp" or p.time_ns // 1000 < HEAL]
    assert judge(replace(data, points=stayed)).status is Status.PASSED, "by nopreempt it may stay"
    data.run.fault.failback_settled_ms = 4_000.0
    verdict = judge(replace(data, points=stayed))
    assert verdict.status is Status.NOT_RESTORED and verdict.exit_code == 1
    assert texts(verdict) == ["the pair is not as it was before: the address is with lb2, and was to return to lb1"]


def test_a_pair_that_was_not_looked_at_long_enough_is_not_known_to_be_whole() -> None:
    data = observed("outage=5s", healed=False)
    assert data.run.plan.healed_us is not None
    data.run.plan.end_us = data.run.plan.healed_us + 4 * SECOND
    verdict = judge(data)
    assert verdict.record.restoration is None and verdict.status is not Status.NOT_HEALED


def test_what_the_watchdog_healed_for_a_killed_run_is_not_called_broken() -> None:
    verdict = judge(healed_for_a_killed_run())
    assert verdict.status is Status.STOPPED
    assert "haproxy-kill was healed by the watchdog, not by the run itself" in texts(verdict)


def test_a_heal_before_the_kill_command_ended_says_nothing() -> None:
    """A runner that stood still may fire after its watchdog has healed."""
    assert judge(healed_for_a_killed_run(after_us=-1)).status is Status.NOT_HEALED


def test_a_balancer_that_is_silent_before_the_failback_was_due_is_not_healed() -> None:
    verdict = judge(ended_before_the_failback())
    assert verdict.status is Status.NOT_HEALED
    assert texts(verdict) == ["haproxy-kill was healed, but no scrape of lb1 succeeds any more"]


def test_a_balancer_that_was_silent_at_the_end_is_not_healed_if_it_still_was_5_s_after_its_heal() -> None:
    verdict = judge(healed_at_the_end(healed=False))
    assert verdict.status is Status.NOT_HEALED
    assert texts(verdict) == ["haproxy-kill was healed, but no scrape of lb1 succeeds any more"]
    assert judge(healed_at_the_end(healed=True)).status is Status.PASSED


def test_a_journal_that_ends_early_shows_no_silence() -> None:
    verdict = judge(unwritten_journal())
    assert verdict.record.restoration is not None and verdict.record.restoration.whole is not False
    assert verdict.status is not Status.NOT_HEALED
    assert {check.text for check in verdict.record.restoration.checks if check.name == "answers"} == {
        "lb1 was not scraped at the end",
        "lb2 was not scraped at the end",
    }


def test_two_holders_at_the_end_leave_the_pair_not_whole() -> None:
    data = observed("outage=5s", "split-brain=1h")
    kept = [
        p for p in data.points if not (p.tags["node"] == "lb2" and "state" in p.fields and p.time_ns // 1000 > HEAL)
    ]
    verdict = judge(replace(data, points=kept))
    assert verdict.status is Status.NOT_RESTORED and "lb1 and lb2 held the address at the end" in texts(verdict)[0]


def test_without_telemetry_impaired_probes_are_source_enough() -> None:
    verdict = judge(replace(observed("outage=5s"), points=[]))
    assert (
        verdict.status is Status.PASSED
        and verdict.record.restoration is not None
        and verdict.record.restoration.whole is None
    )
    assert verdict.record.warnings == [RESTORATION_UNKNOWN]


def test_a_pair_that_is_known_to_be_whole_or_was_not_healed_is_not_warned_of() -> None:
    assert RESTORATION_UNKNOWN not in judge(observed("outage=5s")).record.warnings
    data = replace(observed("outage=5s"), points=[])
    data.run.plan.healed_us = None
    assert RESTORATION_UNKNOWN not in judge(data).record.warnings


def test_a_fault_that_hangs_is_seen_by_the_scrapes_that_stop() -> None:
    data = observed("outage=5s")
    assert data.run.fault is not None
    data.run.fault.name = "haproxy-hang"
    assert judge(data).record.confirmation is not None and judge(data).status is Status.PASSED
    alive = observed("outage=5s", killed=False)
    assert alive.run.fault is not None
    alive.run.fault.name = "haproxy-hang"
    assert texts(judge(alive)) == ["haproxy-hang was fired without effect: lb1 answered its scrapes all the time"]


def test_a_keepalived_fault_that_moved_nothing_is_denied_only_where_nothing_was_impaired() -> None:
    data = observed("outage=5s", killed=False, probed_down_us=0, answers_move=False)
    assert data.run.fault is not None
    data.run.fault.name = "keepalived-stop"
    still = [p for p in data.points if p.measurement != "switchover_vrrp" or p.time_ns // 1000 < FIRED]
    assert texts(judge(replace(data, points=still))) == [
        "keepalived-stop was fired without effect: lb2 never got the address"
    ]
    away = observed(probed_down_us=15 * SECOND, killed=False)
    assert away.run.fault is not None
    away.run.fault.name = "keepalived-stop"
    assert judge(replace(away, points=still)).status is Status.NOT_RECOVERED, "the backup may be broken"


def test_a_fault_names_its_own_sources() -> None:
    data = observed("outage=5s", killed=False)
    assert data.run.fault is not None
    data.run.fault.name = "our-own-kill"
    assert judge(data).status is Status.PASSED, "of a fault that names none, none denies"
    data.run.fault.sources = ["generation"]
    assert judge(data).status is Status.NO_EFFECT


def test_a_balancer_that_falls_silent_besides_the_victim_leaves_the_pair_not_whole() -> None:
    data = observed("outage=5s")

    def tells(point: Point) -> bool:
        return point.measurement == "switchover_vrrp" or point.tags["node"] != "lb2" or point.time_ns // 1000 < HEAL

    verdict = judge(replace(data, points=[point for point in data.points if tells(point)]))
    assert verdict.status is Status.NOT_RESTORED and "no scrape of lb2 succeeds any more" in texts(verdict)[0]


def test_a_default_limit_makes_no_measured_run_passed() -> None:
    verdict = judge(observed())
    assert verdict.record.limits and verdict.status is Status.MEASURED


def test_what_is_known_of_a_reason_stands_behind_it() -> None:
    assert [because(why) for why in ("the disk is full", "", None)] == [": the disk is full", "", ""]
