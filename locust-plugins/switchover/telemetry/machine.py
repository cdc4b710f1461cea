"""What this machine took from its processes: stolen time, softirqs, the run queue, and a process's own waiting.

/proc/stat counts in ticks of 10 ms; schedstat (Documentation/scheduler/sched-stats.rst) in nanoseconds.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from switchover.model.errors import TelemetryError
from switchover.telemetry.processes import process_file

STAT = Path("/proc/stat")
ALL = "all"
"""The name of all processors together."""
_TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")
_CPU = re.compile(r"^cpu(\d{1,5})((?: \d{1,19}){8,})", re.ASCII | re.MULTILINE)
_RUNNING = re.compile(r"^procs_running (\d{1,9})$", re.ASCII | re.MULTILINE)
_SOFTIRQ, _STEAL = 6, 7
"""proc_stat(5): the seventh and the eighth number of a `cpu` line."""


@dataclass(frozen=True, slots=True)
class ProcessorTime:
    """Time since the machine was started that a processor did not give to processes."""

    stolen_ms: float
    """The hypervisor gave the processor to another machine."""
    softirq_ms: float
    """The kernel handled packets and timers."""


@dataclass(frozen=True, slots=True)
class MachineReading:
    processors: Mapping[str, ProcessorTime]
    running: int
    """Processes that run or wait for a processor now, this one included."""


def parse_machine(text: str) -> MachineReading:
    """The content of /proc/stat; TelemetryError if it is none."""
    processors = {}
    for match in _CPU.finditer(text):
        ticks = [int(number) for number in match[2].split()]
        processors[match[1]] = ProcessorTime(ticks[_STEAL] * _TICK_MS, ticks[_SOFTIRQ] * _TICK_MS)
    running = _RUNNING.search(text)
    if not processors or running is None:
        raise TelemetryError(f"{STAT} does not name the processors and procs_running")
    return MachineReading(processors, int(running[1]))


def read_machine() -> MachineReading:
    """TelemetryError where the kernel does not tell."""
    try:
        return parse_machine(STAT.read_text(encoding="ascii", errors="replace"))
    except OSError as error:
        raise TelemetryError(f"cannot read {STAT}: {error.strerror}") from error


def read_wait_ms(pid: int) -> float | None:
    """How long a process of one thread was ready to run and had no processor; None where it is not known."""
    try:
        _, waited_ns, _ = process_file(pid, "schedstat").read_text(encoding="ascii").split()
        return int(waited_ns) / 1e6
    except (OSError, ValueError):
        return None


class MachineMeter:
    """Differences between two readings. Counters that fell (a machine moved to another host) count as 0."""

    def __init__(self) -> None:
        self._last: MachineReading | None = None
        self._waited_ms: float | None = None

    def fields(self, reading: MachineReading, waited_ms: float | None) -> dict[str, dict[str, float | int]]:
        """The fields of `switchover_machine` by processor, and for `all`; nothing at the first reading."""
        last, self._last = self._last, reading
        waited_before, self._waited_ms = self._waited_ms, waited_ms
        if last is None:
            return {}
        found: dict[str, dict[str, float | int]] = {}
        for name, now in reading.processors.items():
            before = last.processors.get(name, now)
            found[name] = {
                "stolen_ms": max(now.stolen_ms - before.stolen_ms, 0.0),
                "softirq_ms": max(now.softirq_ms - before.softirq_ms, 0.0),
            }
        whole: dict[str, float | int] = {
            key: sum(fields[key] for fields in found.values()) for key in ("stolen_ms", "softirq_ms")
        }
        whole["running"] = reading.running
        if waited_ms is not None and waited_before is not None:
            whole["waited_ms"] = max(waited_ms - waited_before, 0.0)
        return {**found, ALL: whole}
