"""What the parent of a conductor learns of its run."""

from switchover.drill.remote import ConductorState


def test_a_state_that_says_more_than_is_known_is_still_one() -> None:
    assert ConductorState.from_message({"phase": "baseline", "mood": "good"}) == ConductorState(phase="baseline")
