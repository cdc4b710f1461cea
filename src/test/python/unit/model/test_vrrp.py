import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchover.model.vrrp import CheckScript, KeepalivedSettings, round_advert_s


def test_master_down_interval_of_a_default_backup() -> None:
    """Keepalived's data dump shows 3609375 µs for priority 100 and 1 s adverts."""
    assert KeepalivedSettings(priority=100).master_down_interval_s == 3.609375


def test_down_timer_adverts_replace_the_three() -> None:
    assert KeepalivedSettings(priority=128, down_timer_adverts=5).master_down_interval_s == 5.5


@given(st.integers(1, 254), st.sampled_from([2, 3]), st.integers(1, 255))
def test_the_higher_priority_always_waits_less(priority: int, version: int, advert: int) -> None:
    lower = KeepalivedSettings(priority=priority, version=version, advert_int_s=advert)
    higher = KeepalivedSettings(priority=priority + 1, version=version, advert_int_s=advert)
    assert higher.master_down_interval_s < lower.master_down_interval_s


def test_check_times_span_one_interval() -> None:
    check = CheckScript(interval_s=2, fall=3)
    assert (check.soonest_s, check.latest_s) == (4.0, 6.0)


def test_a_hanging_check_adds_its_timeout() -> None:
    assert CheckScript(interval_s=2, timeout_s=1, fall=1).latest_hanging_s == 3.0


def test_a_check_passes_again_when_it_has_risen() -> None:
    assert CheckScript(interval_s=2, rise=3).recovered_s == 6.0


def test_a_process_that_the_kernel_watches_is_missed_after_its_delay() -> None:
    check = CheckScript(interval_s=0, timeout_s=1, fall=2, delay_s=1.5)
    assert (check.soonest_s, check.latest_s, check.latest_hanging_s) == (1.5, 1.5, 1.0)


@pytest.mark.parametrize(
    ("version", "written_s", "sent_s"),
    [
        (2, 1.0, 1.0),
        (2, 0.4, 1.0),
        (2, 1.499999, 1.0),
        (2, 1.5, 2.0),
        (3, 0.1, 0.1),
        (3, 0.124999, 0.12),
        (3, 0.125, 0.13),
        (3, 0.001, 0.01),
        (3, 40.95, 40.95),
        (3, 41.0, 40.95),
    ],
)
def test_an_interval_is_sent_in_whole_seconds_or_hundredths(version: int, written_s: float, sent_s: float) -> None:
    assert round_advert_s(written_s, version) == sent_s


@pytest.mark.parametrize(
    ("priority", "others", "weights", "failed", "effective"),
    [
        (100, 0, [], [], 100),
        (100, 0, [-20], [], 100),
        (100, 0, [-20], [0], 80),
        (100, 0, [5], [], 105),
        (100, 0, [5], [0], 100),
        (100, 0, [-20, 5], [], 105),
        (100, 0, [-20, 5], [0], 85),
        (100, 0, [-20, 5], [0, 1], 80),
        (100, 0, [-20, -30], [0, 1], 50),
        (100, 0, [-20, -30], [1], 70),
        (100, 7, [-20], [0], 87),
        (22, 0, [-20], [0], 2),
        (20, 0, [-20], [0], 1),
        (5, 0, [-20], [0], 1),
        (249, 0, [5], [], 254),
        (253, 0, [5], [], 254),
        (255, 0, [-20, 5], [0], 255),
    ],
)
def test_weights_count_negative_while_a_check_fails_and_positive_while_it_passes(
    priority: int, others: int, weights: list[int], failed: list[int], effective: int
) -> None:
    checks = tuple(CheckScript(weight=weight) for weight in weights)
    settings = KeepalivedSettings(
        priority=priority, other_weights=others, check=checks[0] if checks else None, further_checks=checks[1:]
    )
    assert settings.checks == checks
    assert settings.priority_when_failed(tuple(checks[number] for number in failed)) == effective
