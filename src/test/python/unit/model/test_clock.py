import time

import pytest

from switchover.model.clock import ANCHOR_VARIABLE, Clock


def test_a_child_shares_its_parents_time_line(monkeypatch: pytest.MonkeyPatch) -> None:
    parent = Clock(123_456_789)
    for name, value in parent.environment().items():
        monkeypatch.setenv(name, value)
    assert Clock.of_process().anchor_ns == parent.anchor_ns


def test_a_garbled_anchor_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ANCHOR_VARIABLE, "yesterday")
    assert abs(Clock.of_process().now_ns() - time.time_ns()) < 60 * 10**9


def test_a_wall_clock_reading_is_carried_over_to_the_time_line() -> None:
    hour_off = Clock(Clock.of_process().anchor_ns + 3_600 * 10**9)
    carried = hour_off.from_wall_ns(time.time_ns())
    assert carried <= hour_off.now_ns()
