import time

import pytest

from switchover.model.clock import ANCHOR_VARIABLE, Clock, boot_time_s

MINUTE_NS = 60 * 10**9


@pytest.mark.parametrize("anchor_ns", [123_456_789, 0, -5])
def test_a_child_shares_its_parents_time_line(anchor_ns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    parent = Clock(anchor_ns)
    for name, value in parent.environment().items():
        monkeypatch.setenv(name, value)
    assert Clock.of_process().anchor_ns == parent.anchor_ns


@pytest.mark.parametrize("text", ["yesterday", "", "-", "--5", "5-", "\N{SUPERSCRIPT TWO}", " 5"])
def test_a_garbled_anchor_is_ignored(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ANCHOR_VARIABLE, text)
    assert abs(Clock.of_process().now_ns() - time.time_ns()) < MINUTE_NS


def test_the_anchor_is_from_the_reading_that_was_held_up_least(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each reading: the monotonic clock, the wall clock, the monotonic clock."""
    readings = [(100, 5_000, 140), (200, 7_110, 221), (300, 9_000, 321), (400, 9_500, 450), (500, 9_900, 560)]
    monotonic = iter([edge for before, _, after in readings for edge in (before, after)])
    wall = iter([now for _, now, _ in readings])
    monkeypatch.delenv(ANCHOR_VARIABLE, raising=False)
    monkeypatch.setattr("switchover.model.clock.time.monotonic_ns", lambda: next(monotonic))
    monkeypatch.setattr("switchover.model.clock.time.time_ns", lambda: next(wall))
    anchor_ns = Clock.of_process().anchor_ns
    assert (anchor_ns, type(anchor_ns)) == (7_110 - 210, int)


def test_a_wall_clock_reading_is_carried_over_to_the_time_line() -> None:
    hour_off = Clock(Clock.of_process().anchor_ns + 3_600 * 10**9)
    carried = hour_off.from_wall_ns(time.time_ns())
    assert carried <= hour_off.now_ns() < carried + MINUTE_NS


def test_the_clock_that_runs_in_sleep_is_not_behind_the_one_that_does_not() -> None:
    assert boot_time_s() >= time.monotonic() - 1


def test_where_no_clock_runs_in_sleep_the_usual_one_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("switchover.model.clock.time.clock_gettime", lambda clock: clock)
    assert boot_time_s() == time.CLOCK_BOOTTIME
    monkeypatch.delattr("switchover.model.clock.time.CLOCK_BOOTTIME")
    assert boot_time_s() == time.CLOCK_MONOTONIC
