"""Processes: what /proc says, and CPU between two reads."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchover.model.errors import TelemetryError
from switchover.telemetry.processes import (
    ProcessCpuMeter,
    ProcessReading,
    ProcessStat,
    parse_processes,
    process_file,
    read_local,
    read_machine,
    read_wait_ms,
)

SECOND_NS = 1_000_000_000
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def stat_line(pid: int, name: str, utime: int = 0, stime: int = 0, start: int = 100, pages: int = 3) -> str:
    middle = f"1 {pid} {pid} 0 -1 4194560 500 0 0 0 {utime} {stime} 0 0 20 0 1 0 {start} 8192000 {pages}"
    return f"{pid} ({name}) S {middle} 18446744073709551615 1 1 0 0 0 0 0 4096 0 0 0 0 17 1 0 0 0 0 0\n"


def process(pid: int, ticks: int, name: str = "haproxy", start: int = 100) -> ProcessStat:
    return ProcessStat(pid, name, ticks, start, 4096)


def test_load_and_processes_are_found_in_any_order() -> None:
    text = stat_line(7, "haproxy", utime=5, stime=6) + "0.52 0.58 0.59 1/389 12345\n" + stat_line(8, "nginx")
    reading = parse_processes(text)
    assert reading.load1 == 0.52
    assert reading.processes[0] == ProcessStat(7, "haproxy", 11, 100, 3 * PAGE_BYTES)
    assert [found.name for found in reading.processes] == ["haproxy", "nginx"]


@pytest.mark.parametrize("name", ["a b", "x) S 1 2", "((", "kworker/0:1"])
def test_name_may_hold_blanks_and_parentheses(name: str) -> None:
    (found,) = parse_processes(stat_line(7, name, utime=9)).processes
    assert (found.name, found.cpu_ticks) == (name, 9)


def test_lines_that_are_neither_are_passed_over() -> None:
    reading = parse_processes("cat: /proc/9/stat: No such file\n" + stat_line(7, "nginx") + "7 (cut) S 1 2")
    assert [found.pid for found in reading.processes] == [7]


@given(st.text(max_size=300))
def test_garbage_is_our_error_or_nothing(text: str) -> None:
    try:
        parse_processes(text)
    except TelemetryError as error:
        assert "\n" not in str(error)


def fields(meter: ProcessCpuMeter, at_ns: int, *processes: ProcessStat) -> dict[str, float | int]:
    (found,) = meter.fields(ProcessReading(None, processes), at_ns).values()
    return found


def test_first_read_has_no_cpu() -> None:
    assert fields(ProcessCpuMeter(), 0, process(1, 50)) == {"rss_bytes": 4096}


def test_cpu_is_of_one_core_summed_over_the_processes_of_a_name() -> None:
    meter = ProcessCpuMeter()
    fields(meter, 0, process(1, 0), process(2, 100))
    found = fields(meter, 2 * SECOND_NS, process(1, TICKS_PER_S), process(2, 100 + TICKS_PER_S))
    assert found == {"cpu_percent": 100.0, "rss_bytes": 8192}


def test_process_with_the_pid_of_an_ended_one_starts_from_nothing() -> None:
    meter = ProcessCpuMeter()
    fields(meter, 0, process(1, 5000))
    assert fields(meter, SECOND_NS, process(1, 10, start=900))["cpu_percent"] == 0.0


def test_own_process_is_read_under_the_name_given_and_an_ended_one_left_out() -> None:
    reading = read_local({"generator": os.getpid(), "gone": 2**22 + 1})
    assert [found.name for found in reading.processes] == ["generator"]
    assert reading.processes[0].rss_bytes > 0


def test_a_file_of_a_process_is_named_once() -> None:
    """Each new path would be new entries in the interpreter's table of strings, which grows with them."""
    assert process_file(os.getpid(), "stat") is process_file(os.getpid(), "stat")


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="a kernel without schedstat")
def test_this_machine_can_be_read() -> None:
    reading = read_machine()
    assert len(reading.processors) >= 1 and reading.running >= 1
    waited_ms = read_wait_ms(os.getpid())
    assert waited_ms is not None and waited_ms >= 0
    assert read_wait_ms(2**22 + 1) is None
