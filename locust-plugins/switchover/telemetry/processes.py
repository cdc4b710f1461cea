"""CPU, memory and load of processes, and what this machine took from them.

Our own are read from /proc, a node's by a command that prints its files. /proc/stat counts in ticks of 10 ms;
schedstat (Documentation/scheduler/sched-stats.rst) in nanoseconds.
"""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from switchover.model.errors import TelemetryError

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
"""USER_HZ, 100 on every Linux architecture in use, so good for a node's processes too."""
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_LOADAVG = re.compile(r"(\d+\.\d\d) \d+\.\d\d \d+\.\d\d \d+/\d+ \d+", re.ASCII)
_STAT = re.compile(r"(\d+) \((.{1,64})\) [A-Za-z] (-?\d+(?: -?\d+){20,60})", re.ASCII | re.DOTALL)
_UTIME, _STIME, _STARTTIME, _RSS = 14 - 4, 15 - 4, 22 - 4, 24 - 4
"""proc_pid_stat(5) numbers the fields from 1; the list here begins with the fourth."""


@dataclass(frozen=True, slots=True)
class ProcessStat:
    """One process at one moment; `started_ticks` tells it from a later one with the same pid."""

    pid: int
    name: str
    cpu_ticks: int
    started_ticks: int
    rss_bytes: int


@dataclass(frozen=True, slots=True)
class ProcessUse:
    """All processes of one name. `cpu_percent` of one core since the read before; None at the first read."""

    name: str
    cpu_percent: float | None
    rss_bytes: int


@dataclass(frozen=True, slots=True)
class ProcessReading:
    load1: float | None
    processes: tuple[ProcessStat, ...]


def parse_processes(text: str) -> ProcessReading:
    """/proc/loadavg and lines of /proc/PID/stat, in any order; lines that are neither are passed over."""
    load1: float | None = None
    processes: list[ProcessStat] = []
    for line in text.splitlines():
        load = _LOADAVG.fullmatch(line.strip())
        stat = _STAT.fullmatch(line.strip())
        if load is not None:
            load1 = float(load[1])
        elif stat is not None:
            processes.append(_stat(int(stat[1]), stat[2], [int(number) for number in stat[3].split()]))
    if load1 is None and not processes:
        raise TelemetryError("printed neither /proc/loadavg nor a line of /proc/PID/stat")
    return ProcessReading(load1, tuple(processes))


@lru_cache(maxsize=64)
def process_file(pid: int, name: str) -> Path:
    """`/proc/PID/NAME`, made once: pathlib interns the parts of each path that it makes, and the interpreter's table
    of interned strings takes a megabyte more after some ten thousand."""
    return Path(f"/proc/{pid}/{name}")


def read_local(pids: Mapping[str, int]) -> ProcessReading:
    """Processes of this machine by the names they shall have; those that have ended are left out."""
    found: list[ProcessStat] = []
    for name, pid in pids.items():
        try:
            line = process_file(pid, "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        match = _STAT.fullmatch(line.strip())
        if match is not None:
            found.append(_stat(pid, name, [int(number) for number in match[3].split()]))
    return ProcessReading(os.getloadavg()[0], tuple(found))


class ProcessCpuMeter:
    """CPU between two reads, summed over the processes of a name.

    A process counts from the first read that saw it; what it used before that, or after the last, is not known.
    """

    def __init__(self) -> None:
        self._ticks: dict[tuple[int, int], int] = {}
        self._at_ns: int | None = None

    def uses(self, processes: Iterable[ProcessStat], at_ns: int) -> list[ProcessUse]:
        """The use per name since the call before; `at_ns` is when the processes were read."""
        elapsed_s = None if self._at_ns is None else (at_ns - self._at_ns) / 1e9
        ticks: dict[str, int] = {}
        rss: dict[str, int] = {}
        known: dict[tuple[int, int], int] = {}
        for process in processes:
            key = (process.pid, process.started_ticks)
            known[key] = process.cpu_ticks
            spent = max(process.cpu_ticks - self._ticks.get(key, process.cpu_ticks), 0)
            ticks[process.name] = ticks.get(process.name, 0) + spent
            rss[process.name] = rss.get(process.name, 0) + process.rss_bytes
        self._ticks, self._at_ns = known, at_ns
        return [ProcessUse(name, _percent(spent, elapsed_s), rss[name]) for name, spent in sorted(ticks.items())]


def _percent(ticks: int, elapsed_s: float | None) -> float | None:
    return None if elapsed_s is None or elapsed_s <= 0 else 100.0 * ticks / _TICKS_PER_S / elapsed_s


def _stat(pid: int, name: str, numbers: list[int]) -> ProcessStat:
    return ProcessStat(
        pid=pid,
        name=name,
        cpu_ticks=numbers[_UTIME] + numbers[_STIME],
        started_ticks=numbers[_STARTTIME],
        rss_bytes=numbers[_RSS] * _PAGE_BYTES,
    )


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
