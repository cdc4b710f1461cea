"""What the parent of a controller learns of its run."""

import json

from switchover.drill.remote import ControllerState


def test_a_state_that_says_more_than_is_known_is_still_one() -> None:
    assert ControllerState.from_message({"phase": "baseline", "mood": "good"}) == ControllerState(phase="baseline")


def test_what_travels_arrives_as_it_was() -> None:
    state = ControllerState(phase="fault", holders=["lb1"], probes={"sent": 7}, fired_us=5, notes=["fired"])
    assert ControllerState.from_message(json.loads(json.dumps(state.message()))) == state
