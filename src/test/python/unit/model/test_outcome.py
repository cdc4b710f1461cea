import pytest

from switchover.model.failure_kind import FailureKind
from switchover.model.outcome import Outcome, decide_outcome, latency_us, read_outcome


@pytest.mark.parametrize(
    ("error", "success", "latency_us", "outcome"),
    [
        (None, True, 1_000, Outcome.GOOD),
        (None, True, 1_001, Outcome.LATE),
        (None, False, 1, Outcome.FAILED),
        (FailureKind.RESET, False, 1, Outcome.FAILED),
        (FailureKind.STATUS, True, 1, Outcome.GOOD),
        (FailureKind.GENERATOR, False, 1, Outcome.UNSENT),
        (FailureKind.GENERATOR, True, 9_000, Outcome.UNSENT),
    ],
)
def test_a_request_comes_to_one_of_four(
    error: FailureKind | None, success: bool, latency_us: int, outcome: Outcome
) -> None:
    assert decide_outcome(error, success, latency_us, late_us=1_000) is outcome


def test_a_request_is_timed_from_when_it_was_due() -> None:
    assert latency_us(100, 150, 20) == 130
    assert latency_us(100, 150, 0) == 150
    assert latency_us(100, 150, None) == 50


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("good", Outcome.GOOD),
        ("ok", Outcome.GOOD),
        ("generator", Outcome.UNSENT),
        ("unsent", Outcome.UNSENT),
        ("x", None),
    ],
)
def test_an_outcome_is_read_by_its_name_and_by_an_earlier_one(name: str, outcome: Outcome | None) -> None:
    assert read_outcome(name) is outcome
