"""What a run without a web page says while it goes on."""

from typing import Any

from switchover.drill.remote import ControllerState
from switchover.locust.run_report import ProgressLines


def said(*states: ControllerState) -> list[list[str]]:
    lines = ProgressLines()
    return [lines.new_lines(state) for state in states]


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
