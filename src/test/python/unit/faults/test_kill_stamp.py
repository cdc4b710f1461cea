"""The node's own stamp narrows the interval of the kill, and never contradicts what was seen from here."""

import time

from hypothesis import given
from hypothesis import strategies as st

from switchover.faults.kill_stamp import format_kill_stamp, narrow_kill, read_kill_stamp
from switchover.model.clock import Clock
from switchover.rundir.run_records import ClockReading
from switchover.target.model import Node

FAR, HERE = Node("lb1", "balancer"), Node("lb1", "balancer", shared_clock=True)
NOW_US = 1_795_345_959_000_000


def stamp(low_us: int, high_us: int) -> str:
    return f"haproxy killed {format_kill_stamp(low_us * 1000, high_us * 1000)}"


def offset(us: int, bound_us: int) -> list[ClockReading]:
    return [ClockReading.of({"node": "lb1", "when": "before", "offset_us": us, "bound_us": bound_us})]


@given(st.integers(10**18, 4 * 10**18), st.integers(0, 10**10))
def test_a_stamp_is_read_as_it_was_written(low_ns: int, lasted_ns: int) -> None:
    assert read_kill_stamp(f"x {format_kill_stamp(low_ns, low_ns + lasted_ns)}.") == (low_ns, low_ns + lasted_ns)


def test_what_date_prints_is_a_stamp() -> None:
    found = read_kill_stamp("between 1795345959.938412001 and 1795345959.94")
    assert found == (1_795_345_959_938_412_001, 1_795_345_959_940_000_000)


@given(st.text(max_size=80))
def test_other_lines_are_none(line: str) -> None:
    assert read_kill_stamp(line) is None


def test_the_kill_lies_between_the_stamps_less_the_clocks_offset_and_its_bound() -> None:
    fired = NOW_US, NOW_US + 80_000
    line = stamp(NOW_US + 5_020_000, NOW_US + 5_020_300)
    assert narrow_kill(fired, line, FAR, offset(5_000_000, 700), Clock(0)) == (NOW_US + 19_300, NOW_US + 21_001)


def test_a_clock_that_was_not_compared_narrows_nothing() -> None:
    fired, line = (NOW_US, NOW_US + 80_000), stamp(NOW_US + 20_000, NOW_US + 20_300)
    assert narrow_kill(fired, line, FAR, [], Clock(0)) == fired
    assert narrow_kill(fired, "haproxy killed", FAR, offset(0, 0), Clock(0)) == fired


def test_a_stamp_outside_of_what_was_seen_here_narrows_nothing() -> None:
    fired = NOW_US, NOW_US + 80_000
    assert narrow_kill(fired, stamp(NOW_US + 90_000, NOW_US + 90_300), FAR, offset(0, 100), Clock(0)) == fired


def test_a_node_on_this_machine_shares_its_wall_clock() -> None:
    clock = Clock.of_process()
    from_us = clock.now_us()
    wall_ns = time.time_ns()
    line = f"killed {format_kill_stamp(wall_ns, wall_ns + 200_000)}"
    low, high = narrow_kill((from_us - 60_000_000, from_us + 60_000_000), line, HERE, [], clock)
    # The anchor of the clock may be a little off the wall clock: by far less than a millisecond.
    assert from_us - 1_000 <= low <= high <= clock.now_us() + 1_200
    assert high - low <= 1_000
