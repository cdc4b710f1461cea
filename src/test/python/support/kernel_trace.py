"""When the kernel gave a process a signal and when that process had ended, by its own trace points.

Of one host of the lab: processes of the same name elsewhere on the machine are left out.
"""

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.capture import HasHosts, WallClock

ENDING = (9, 15, 19)
"""SIGKILL, SIGTERM, and the SIGSTOP with which a kill of several processes begins."""
_EVENT = re.compile(r" (\d+)\.(\d{6}): (signal_generate|sched_process_exit): .*?pid=(\d+) ")


@dataclass(frozen=True, slots=True)
class Ended:
    """A process did nothing any more at some moment between these two, in microseconds of the run's clock."""

    from_us: int
    to_us: int


class KernelTrace:
    """Signals and ends of the processes that have this name on this host, from `with` to its end."""

    def __init__(self, lab: HasHosts, host: str, name: str) -> None:
        self._pids = frozenset(_processes(lab, host, name))
        self._wall_clock = WallClock()
        self._events: list[tuple[int, str]] = []
        self._running = ExitStack()

    def __enter__(self) -> "KernelTrace":
        with ExitStack() as started:
            started.enter_context(self._wall_clock)
            started.enter_context(self._traced())
            self._running = started.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()

    def ended(self, from_us: int, until_us: int) -> Ended | None:
        """The first end that a signal brought about between two moments."""
        events = [event for event in self._events if from_us <= event[0] < until_us]
        signals = [at_us for at_us, name in events if name == "signal_generate"]
        exits = [at_us for at_us, name in events if name == "sched_process_exit" and signals and at_us >= signals[0]]
        return Ended(signals[0], exits[0]) if signals and exits else None

    @contextmanager
    def _traced(self) -> Iterator[None]:
        with tempfile.TemporaryDirectory(prefix="switchover-trace-") as folder:
            subprocess.run(["mount", "-t", "tracefs", "none", folder], check=True)
            own = Path(folder) / "instances" / f"switchover-{os.getpid()}"
            try:
                own.mkdir()
                (own / "trace_clock").write_text("mono")
                signals = own / "events/signal/signal_generate"
                (signals / "filter").write_text(" || ".join(f"sig=={number}" for number in ENDING))
                for event in (signals, own / "events/sched/sched_process_exit"):
                    (event / "enable").write_text("1")
                yield
                self._events = list(self._read((own / "trace").read_text()))
            finally:
                own.rmdir()
                subprocess.run(["umount", folder], check=True)

    def _read(self, text: str) -> Iterator[tuple[int, str]]:
        for line in text.splitlines():
            event = _EVENT.search(line)
            if event is not None and int(event[4]) in self._pids:
                yield self._wall_clock.of_monotonic_us(int(event[1]) * 1_000_000 + int(event[2])), event[3]


def _processes(lab: HasHosts, host: str, name: str) -> Iterator[int]:
    """Their ids as this process sees them: those of that name, and their threads, in the network of the host."""
    network = subprocess.run(
        lab.exec_argv(host, ["readlink", "/proc/self/ns/net"]), capture_output=True, text=True, check=True
    ).stdout.strip()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "comm").read_text().strip() == name and str((process / "ns/net").readlink()) == network:
                yield from (int(thread.name) for thread in (process / "task").iterdir())
        except OSError:
            continue  # It has ended meanwhile
