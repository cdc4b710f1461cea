"""Counts and send lag of the prober itself."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from switchover.model.failure_kind import FailureKind
from switchover.model.outcome import Outcome
from switchover.prober.account import Lags, ProbeStream, Schedule


def stream_of(slots: int) -> ProbeStream:
    stream = ProbeStream("fresh", Schedule(0, Fraction(1000), 10**9))
    for _ in range(slots):
        stream.schedule.take()
    return stream


@given(lags=st.lists(st.integers(0, 10**10), min_size=1, max_size=200), percent=st.sampled_from([50, 90, 99, 100]))
def test_a_percentile_is_never_below_the_exact_one_and_at_most_a_step_above(lags: list[int], percent: int) -> None:
    counted = Lags()
    for lag in lags:
        counted.add(lag)
    exact_ms = sorted(lags)[-(-len(lags) * percent // 100) - 1] / 1e6
    found = counted.percentile_ms(percent)
    assert found is not None
    assert exact_ms - 1e-9 <= found <= exact_ms + 0.0101


def test_every_probe_is_good_late_failed_unsent_or_open() -> None:
    stream = stream_of(10)
    for outcome, error in (
        (Outcome.GOOD, None),
        (Outcome.LATE, None),
        (Outcome.FAILED, FailureKind.REFUSED),
        (Outcome.UNSENT, FailureKind.GENERATOR),
    ):
        stream.conclude(outcome, error, end_us=5, lag_ns=20_000)
    status = stream.status()
    assert (status["sent"], status["open"]) == (10, 6)
    assert [status[name] for name in ("good", "late", "failed", "unsent")] == [1, 1, 1, 1]
    assert (status["last_good_us"], status["last_error"]) == (5, "refused")


def test_the_status_tells_the_lag_of_its_second_and_the_account_that_of_all() -> None:
    stream = stream_of(2)
    stream.conclude(Outcome.GOOD, None, end_us=1, lag_ns=5_000_000)
    assert stream.status()["lag_p99_ms"] == 5.01
    stream.conclude(Outcome.GOOD, None, end_us=2, lag_ns=0)
    assert stream.status()["lag_p99_ms"] == 0.01
    account = stream.account(anchor_ns=10**15)
    assert (account["lag_p50_ms"], account["lag_max_ms"]) == (0.01, 5.01)
    assert account["first_due_us"] == 10**12
