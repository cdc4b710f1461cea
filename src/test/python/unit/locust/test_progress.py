"""What a run without a web page says while it goes on."""

from typing import Any

from switchover.drill.remote import ControllerState
from switchover.locust.run_report import EVERY_S, ProgressLines

PROBES = {"sent": 3000, "good": 2990, "late": 0, "failed": 10, "last_error": None}


def said(*states: ControllerState, at_s: float = 1.0) -> list[list[str]]:
    lines = ProgressLines(0.0, with_progress=True)
    return [lines.lines(state, lambda: 1234, at_s) for state in states]


def state(**values: Any) -> ControllerState:
    return ControllerState(fault="lb-kill", **values)


def test_fire_proof_move_and_heal_are_a_line_each_and_once() -> None:
    fired = state(phase="switchover", holders=["lb1"], fired_us=1_000_000, notes=["fired lb-kill on lb1"])
    confirmed = state(holders=["lb1"], fired_us=1_000_000, confirmed_us=1_240_000, notes=["fired lb-kill on lb1"])
    moved = state(holders=["lb2"], fired_us=1_000_000, confirmed_us=1_240_000)
    healing = state(holders=["lb2"], fired_us=1_000_000, confirmed_us=1_240_000, heal_us=9_000_000)
    healed = state(
        holders=["lb2"], fired_us=1_000_000, confirmed_us=1_240_000, heal_us=9_000_000, healed_us=9_500_000
    )
    assert said(state(holders=["lb1"]), fired, confirmed, moved, healing, healed, healed) == [
        ["lb1 holds the address"],
        ["fired lb-kill on lb1"],
        ["lb-kill is confirmed after 0.2 s"],
        ["lb2 holds the address"],
        ["healing lb-kill"],
        ["lb-kill is healed after 0.5 s"],
        [],
    ]


def test_split_brain_is_named() -> None:
    assert said(state(holders=["lb1", "lb2"])) == [["SPLIT BRAIN: lb1 and lb2 hold the address"]]
    assert said(state(holders=["lb1"]), state())[1] == ["no node is known to hold the address"]


def test_a_line_of_progress_comes_now_and_then() -> None:
    lines = ProgressLines(100.0, with_progress=True)
    going = ControllerState(phase="baseline", probes=PROBES)
    assert lines.lines(going, lambda: 1234, 100.0 + EVERY_S - 1) == []
    assert lines.lines(going, lambda: 1234, 100.0 + EVERY_S) == [
        "30 s, baseline: 1,234 requests; 3,000 probes, 10 failed"
    ]
    assert lines.lines(going, lambda: 1234, 100.0 + EVERY_S + 1) == []


def test_beside_a_web_page_there_are_no_lines_of_progress() -> None:
    lines = ProgressLines(0.0, with_progress=False)
    assert lines.lines(ControllerState(), lambda: 1, 1e6) == []
