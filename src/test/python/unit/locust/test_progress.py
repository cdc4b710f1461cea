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


def test_notes_and_moves_are_a_line_each_and_once() -> None:
    fired = state(holders=["lb1"], notes=["fired lb-kill on lb1"])
    moved = state(holders=["lb2"], notes=["fired lb-kill on lb1"])
    assert said(state(holders=["lb1"]), fired, moved, moved) == [
        ["lb1 holds the address"],
        ["fired lb-kill on lb1"],
        ["lb2 holds the address"],
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
