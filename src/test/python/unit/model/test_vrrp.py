import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchover.model.vrrp import CheckScript, KeepalivedSettings


def test_master_down_interval_of_a_default_backup() -> None:
    """Keepalived's data dump shows 3609375 µs for priority 100 and 1 s adverts."""
    assert KeepalivedSettings(priority=100).master_down_interval_s == 3.609375


def test_v2_skew_does_not_depend_on_the_advert_interval() -> None:
    assert KeepalivedSettings(priority=100, advert_int_s=5).skew_s == KeepalivedSettings(priority=100).skew_s


def test_v3_skew_does() -> None:
    settings = KeepalivedSettings(priority=100, version=3, advert_int_s=0.1)
    assert settings.master_down_interval_s == pytest.approx(0.3609375)


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


def test_runs_that_hang_as_long_as_the_interval_come_half_as_often() -> None:
    assert CheckScript(interval_s=1, timeout_s=1, fall=3).latest_hanging_s == 1 + 2 * 2 + 1


@given(st.integers(1, 10), st.integers(1, 10), st.integers(1, 10))
def test_hanging_is_never_noticed_sooner_than_refusing(interval: int, timeout: int, fall: int) -> None:
    check = CheckScript(interval_s=interval, timeout_s=timeout, fall=fall)
    assert check.soonest_s <= check.latest_s < check.latest_hanging_s
