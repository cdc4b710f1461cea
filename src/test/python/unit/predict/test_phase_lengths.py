from switchover.predict.phase_lengths import derive_timing
from switchover.predict.prediction import Prediction


def prediction(high_s: float | None) -> Prediction:
    return Prediction(low_s=0.0, high_s=high_s, reason="", uniform=False)


def test_a_drill_waits_for_the_longest_predicted_outage_and_the_stability_window() -> None:
    timing = derive_timing(5.0, None, None, prediction(4.6), prediction(0.0))
    assert (timing.hold_s, timing.recover_s, timing.truncated) == (10.6, 6.0, [])


def test_a_shorter_choice_is_kept_and_said() -> None:
    timing = derive_timing(5.0, 3.0, 2.0, prediction(4.6), prediction(0.0))
    assert (timing.hold_s, timing.recover_s) == (3.0, 2.0)
    assert len(timing.truncated) == 2


def test_a_fault_without_predicted_recovery_is_watched_for_a_bounded_time() -> None:
    assert derive_timing(5.0, None, None, prediction(None), None).hold_s == 12.0
