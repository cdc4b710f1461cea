"""Due times lie on the grid, and every slot is either taken or accounted for."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from switchover.prober.account import Schedule
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
