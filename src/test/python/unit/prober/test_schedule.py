"""Due times lie on the grid, every slot is taken or accounted for, and the prober counts its own lag."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.contract import named
from switchover.model.failure_kind import FailureKind
from switchover.model.outcome import Outcome
from switchover.prober.account import Lags, ProbeStream, Schedule
from switchover.prober.spec import exact_rate

rates = st.fractions(min_value=Fraction(1, 100), max_value=20_000, max_denominator=1000)


def test_no_drift_after_a_week_at_a_rate_that_divides_no_nanosecond() -> None:
    schedule = Schedule(0, exact_rate(333.3), stale_ns=1)
    week_s = 7 * 24 * 3600
    assert schedule.due_ns(int(week_s * 333.3)) == week_s * 10**9


@given(
    rate=rates,
    stale=st.integers(1, 2 * 10**9),
    steps=st.lists(st.tuples(st.integers(0, 3 * 10**9), st.integers(0, 5)), max_size=30),
)
def test_every_slot_is_taken_or_unsent(rate: Fraction, stale: int, steps: list[tuple[int, int]]) -> None:
    schedule = Schedule(0, rate, stale)
    now = 0
    taken: set[int] = set()
    for pause, sends in steps:
        now += pause
        schedule.give_up_stale(now)
        assert schedule.next_due_ns >= now - stale
        for _ in range(sends):
            if schedule.next_due_ns <= now:
                taken.add(schedule.take())
    assert schedule.scheduled == len(taken) + schedule.unsent
    assert taken <= set(map(schedule.due_ns, range(schedule.scheduled)))


@pytest.mark.parametrize("case", named("schedule.json", "rates"))
def test_a_rate_makes_the_grid_that_was_agreed(case: dict[str, Any]) -> None:
    rate = exact_rate(case["rate"])
    assert (rate.numerator, rate.denominator) == (case["numerator"], case["denominator"])
    schedule = Schedule(case["t0_ns"], rate, stale_ns=1)
    assert [[index, schedule.due_ns(index)] for index, _ in case["due_ns"]] == case["due_ns"]
    assert [schedule.take() for _ in case["first"]] == case["first"]


@pytest.mark.parametrize("case", named("schedule.json", "walks"))
def test_slots_are_taken_or_given_up_as_agreed(case: dict[str, Any]) -> None:
    schedule = Schedule(case["t0_ns"], exact_rate(case["rate"]), case["stale_ns"])
    for step in case["steps"]:
        schedule.give_up_stale(step["now_ns"])
        taken: list[int] = []
        while len(taken) < step["sends"] and schedule.next_due_ns <= step["now_ns"]:
            taken.append(schedule.take())
        assert taken == step["taken"]
        assert (schedule.scheduled, schedule.unsent) == (step["scheduled"], step["unsent"])
        assert schedule.next_due_ns == step["next_due_ns"]


@pytest.mark.parametrize("case", named("schedule.json", "lags"))
def test_lags_have_the_percentiles_that_were_agreed(case: dict[str, Any]) -> None:
    lags = Lags()
    for lag_ns in case["lags_ns"]:
        lags.add(lag_ns)
    assert [lags.percentile_ms(percent) for percent in (50, 99, 100)] == [case["p50"], case["p99"], case["max"]]


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
    stream = stream_of(100)
    stream.conclude(Outcome.GOOD, None, end_us=1, lag_ns=5_000_000)
    assert stream.status()["lag_p99_ms"] == 5.01
    for lag_ns in (2_000_000, *[0] * 98):
        stream.conclude(Outcome.GOOD, None, end_us=2, lag_ns=lag_ns)
    assert stream.status()["lag_p99_ms"] == 2.01
    account = stream.account(anchor_ns=10**15)
    assert (account["lag_p50_ms"], account["lag_p99_ms"], account["lag_max_ms"]) == (0.01, 2.01, 5.01)
    assert account["first_due_us"] == 10**12
