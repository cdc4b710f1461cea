"""What the parent of a conductor learns of its run."""

import json

from switchover.drill.remote import ConductorState


def test_a_state_that_says_more_than_is_known_is_still_one() -> None:
    assert ConductorState.from_message({"phase": "baseline", "mood": "good"}) == ConductorState(phase="baseline")


def test_what_travels_arrives_as_it_was() -> None:
    state = ConductorState(phase="fault", holders=["lb1"], probes={"sent": 7}, fired_us=5, notes=["fired"])
    assert ConductorState.from_message(json.loads(json.dumps(state.message()))) == state
