"""Measure processes, the load average, and the CPU time that processes could not use. The data comes from files in
/proc of this machine or of a node. /proc/stat counts in ticks, schedstat in nanoseconds."""

import os
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from switchover.model.errors import TelemetryError

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
"""USER_HZ, which is 100 on every Linux architecture in use."""
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_LOADAVG = re.compile(r"(\d+\.\d\d) \d+\.\d\d \d+\.\d\d \d+/\d+ \d+", re.ASCII)
_STAT = re.compile(r"(\d+) \((.{1,64})\) [A-Za-z] (-?\d+(?: -?\d+){20,60})", re.ASCII | re.DOTALL)
_UTIME, _STIME, _STARTTIME, _RSS = 14 - 4, 15 - 4, 22 - 4, 24 - 4
"""The indexes in a list that starts with field 4 of proc_pid_stat(5)."""


@dataclass(frozen=True, slots=True)
class ProcessStat:
    """One process at one time. `started_ticks` distinguishes the process from a later process with the same pid."""

    pid: int
    name: str
    cpu_ticks: int
    started_ticks: int
    rss_bytes: int


@dataclass(frozen=True, slots=True)
class ProcessReading:
    load1: float | None
    processes: tuple[ProcessStat, ...]


def parse_processes(text: str) -> ProcessReading:
    """Parse the line of /proc/loadavg and the lines of /proc/PID/stat, in any order. All other lines are ignored."""
    load1: float | None = None
    processes: list[ProcessStat] = []
    for line in text.splitlines():
        load = _LOADAVG.fullmatch(line.strip())
        if load is not None:
            load1 = float(load[1])
        elif stat := _stat(line):
            processes.append(stat)
    if load1 is None and not processes:
        raise TelemetryError("printed neither /proc/loadavg nor a line of /proc/PID/stat")
    return ProcessReading(load1, tuple(processes))


@lru_cache(maxsize=64)
def process_file(pid: int, name: str) -> Path:
    """Return the path `/proc/PID/NAME`. The result is cached, because pathlib interns the parts of each path."""
    return Path(f"/proc/{pid}/{name}")


def read_local(pids: Mapping[str, int]) -> ProcessReading:
    """Read the processes `pids` of this machine; the keys become the process names in the result. Processes that have
    ended are left out."""
    processes: list[ProcessStat | None] = []
    for name, pid in pids.items():
        with suppress(OSError):
            processes.append(_stat(process_file(pid, "stat").read_text(encoding="utf-8", errors="replace"), name))
    return ProcessReading(os.getloadavg()[0], tuple(filter(None, processes)))


class ProcessCpuMeter:
    """Measures the CPU time between two reads, as the sum over all processes with the same name."""

    def __init__(self) -> None:
        self._ticks: dict[tuple[int, int], int] = {}
        self._at_ns: int | None = None

    def fields(self, reading: ProcessReading, at_ns: int) -> dict[str, dict[str, float | int]]:
        """Return the fields of `switchover_process` for each process name. CPU usage is in percent of a core, since
        the previous call."""
        elapsed_s = None if self._at_ns is None else (at_ns - self._at_ns) / 1e9
        ticks: Counter[str] = Counter()
        rss: Counter[str] = Counter()
        latest: dict[tuple[int, int], int] = {}
        for process in reading.processes:
            key = (process.pid, process.started_ticks)
            latest[key] = process.cpu_ticks
            ticks[process.name] += max(process.cpu_ticks - self._ticks.get(key, process.cpu_ticks), 0)
            rss[process.name] += process.rss_bytes
        self._ticks, self._at_ns = latest, at_ns
        per_tick = 100.0 / _TICKS_PER_S / elapsed_s if elapsed_s else None
        load = {} if reading.load1 is None else {"load1": reading.load1}
        return {
            name: {"rss_bytes": rss[name]} | ({} if per_tick is None else {"cpu_percent": spent * per_tick}) | load
            for name, spent in sorted(ticks.items())
        }


def _stat(line: str, name: str = "") -> ProcessStat | None:
    match = _STAT.fullmatch(line.strip())
    if match is None:
        return None
    numbers = [int(number) for number in match[3].split()]
    cpu_ticks = numbers[_UTIME] + numbers[_STIME]
    return ProcessStat(int(match[1]), name or match[2], cpu_ticks, numbers[_STARTTIME], numbers[_RSS] * _PAGE_BYTES)


STAT = Path("/proc/stat")
ALL = "all"
_TICK_MS = 1000 / _TICKS_PER_S
_CPU = re.compile(r"^cpu(\d{1,5})((?: \d{1,19}){8,})", re.ASCII | re.MULTILINE)
_RUNNING = re.compile(r"^procs_running (\d{1,9})$", re.ASCII | re.MULTILINE)
_SOFTIRQ, _STEAL = 6, 7
"""The indexes in the numbers of a `cpu` line (proc_stat(5))."""


@dataclass(frozen=True, slots=True)
class MachineReading:
    processors: Mapping[str, Mapping[str, float]]
    """The times since boot, for each processor. `stolen_ms`: the time in which the hypervisor ran another machine.
    `softirq_ms`: the time in which the kernel handled packets and timers."""
    running: int
    """The number of processes that run or wait for a processor now, this process included."""


def parse_machine(text: str) -> MachineReading:
    """Parse the content of /proc/stat. Raises TelemetryError for other content."""
    processors = {}
    for match in _CPU.finditer(text):
        ticks = [int(number) for number in match[2].split()]
        processors[match[1]] = {"stolen_ms": ticks[_STEAL] * _TICK_MS, "softirq_ms": ticks[_SOFTIRQ] * _TICK_MS}
    running = _RUNNING.search(text)
    if not processors or running is None:
        raise TelemetryError(f"{STAT} has no lines for the processors and for procs_running")
    return MachineReading(processors, int(running[1]))


def read_machine() -> MachineReading:
    """Read /proc/stat. Raises TelemetryError if it cannot be read."""
    try:
        return parse_machine(STAT.read_text(encoding="ascii", errors="replace"))
    except OSError as error:
        raise TelemetryError(f"cannot read {STAT}: {error.strerror}") from error


def read_wait_ms(pid: int) -> float | None:
    """Return the total time in ms for which a process was ready but had no processor. None: not available."""
    try:
        _, waited_ns, _ = process_file(pid, "schedstat").read_text(encoding="ascii").split()
        return int(waited_ns) / 1e6
    except (OSError, ValueError):
        return None


class MachineMeter:
    """Computes the differences between two readings. If a counter decreased, its difference is 0."""

    def __init__(self) -> None:
        self._last: MachineReading | None = None
        self._waited_ms: float | None = None

    def fields(self, reading: MachineReading, waited_ms: float | None) -> dict[str, dict[str, float | int]]:
        """Return the fields of `switchover_machine` for each processor, and for `all` processors together. Empty at
        the first reading."""
        last, self._last = self._last, reading
        waited_before, self._waited_ms = self._waited_ms, waited_ms
        if last is None:
            return {}
        differences: dict[str, dict[str, float | int]] = {
            name: {key: max(value - last.processors.get(name, now)[key], 0.0) for key, value in now.items()}
            for name, now in reading.processors.items()
        }
        whole = {key: sum(fields[key] for fields in differences.values()) for key in ("stolen_ms", "softirq_ms")}
        whole["running"] = reading.running
        if waited_ms is not None and waited_before is not None:
            whole["waited_ms"] = max(waited_ms - waited_before, 0.0)
        return {**differences, ALL: whole}
