"""What the machine took from its processes, between two readings."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchover.model.errors import TelemetryError
from switchover.telemetry.processes import ALL, MachineMeter, parse_machine, read_machine, read_wait_ms

TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")


def stat(steal: tuple[int, int], softirq: tuple[int, int] = (0, 0), running: int = 3) -> str:
    lines = ["cpu  9 9 9 9 9 9 9 9 0 0"]
    lines += [f"cpu{number} 5 0 5 5 0 0 {softirq[number]} {steal[number]} 0 0" for number in range(2)]
    return "\n".join([*lines, "intr 5 5", "ctxt 7", f"procs_running {running}", "procs_blocked 0", ""])


def test_stolen_time_and_softirqs_are_told_per_processor_and_together() -> None:
    meter = MachineMeter()
    meter.fields(parse_machine(stat((10, 20), (1, 1))), 100.0)
    found = meter.fields(parse_machine(stat((12, 20), (1, 4), running=7)), 112.5)
    assert found["0"] == {"stolen_ms": 2 * TICK_MS, "softirq_ms": 0.0}
    assert found["1"] == {"stolen_ms": 0.0, "softirq_ms": 3 * TICK_MS}
    assert found[ALL] == {"stolen_ms": 2 * TICK_MS, "softirq_ms": 3 * TICK_MS, "running": 7, "waited_ms": 12.5}


def test_the_first_reading_tells_nothing() -> None:
    assert MachineMeter().fields(parse_machine(stat((10, 20))), 5.0) == {}


def test_waiting_is_unknown_until_it_was_read_twice() -> None:
    meter = MachineMeter()
    meter.fields(parse_machine(stat((0, 0))), None)
    assert "waited_ms" not in meter.fields(parse_machine(stat((0, 0))), 5.0)[ALL]
    assert meter.fields(parse_machine(stat((0, 0))), 6.0)[ALL]["waited_ms"] == 1.0


def test_a_machine_that_moved_to_another_host_lost_nothing() -> None:
    meter = MachineMeter()
    meter.fields(parse_machine(stat((50, 50))), None)
    assert meter.fields(parse_machine(stat((0, 51))), None)[ALL]["stolen_ms"] == TICK_MS


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="a kernel without schedstat")
def test_this_machine_can_be_read() -> None:
    reading = read_machine()
    assert len(reading.processors) >= 1 and reading.running >= 1
    waited_ms = read_wait_ms(os.getpid())
    assert waited_ms is not None and waited_ms >= 0
    assert read_wait_ms(2**22 + 1) is None


@given(st.text(max_size=300))
def test_other_text_is_our_error(text: str) -> None:
    with pytest.raises(TelemetryError):
        parse_machine(text)
