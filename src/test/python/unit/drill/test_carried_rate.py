"""A drill uses the probe rate that the machine carries, and says so where that is lower than usual."""

import pytest

from switchover.drill.probe_settings import find_carried_rate, is_carried
from switchover.prober import ProberProgress

WELL = ProberProgress(sent=1000, good=1000)
OVERLOADED = ProberProgress(sent=1000, good=700, failed=300, last_error="read_timeout")


def carried_up_to(limit: float) -> tuple[float, str]:
    return find_carried_rate(1000, lambda rate: WELL if rate <= limit else OVERLOADED)


def test_a_busy_machine_gets_the_highest_rate_that_it_carries_and_is_told_why() -> None:
    rate, note = carried_up_to(300)
    assert rate == 200
    assert note == (
        "200 probes/s instead of 1,000: at 1,000/s 300 of 1,000 failed or waited long for their response before "
        "the first fault or change (read_timeout); --probe-rate 1000 forces the usual rate"
    )


def test_few_rates_are_tried() -> None:
    tried: list[float] = []

    def attempt(rate: float) -> ProberProgress:
        tried.append(rate)
        return OVERLOADED

    find_carried_rate(1000, attempt)
    assert tried == [1000, 500, 200, 100]
    tried.clear()
    find_carried_rate(100, attempt)
    assert tried == [100, 50, 20]


@pytest.mark.parametrize(
    "seen",
    [
        OVERLOADED,
        ProberProgress(sent=9, good=8, late=1),
        ProberProgress(sent=9, good=8, unsent=1),
        ProberProgress(sent=1000, good=600, open=400),
    ],
    ids=["timed out", "late", "unsent", "waiting for a read time-out that is yet to come"],
)
def test_what_a_lower_rate_may_mend_is_not_carried(seen: ProberProgress) -> None:
    assert not is_carried(seen)
