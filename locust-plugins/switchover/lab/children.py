"""The children of a process that is PID 1: started processes and adopted orphans."""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from switchover.process.signals import shell_status


class Process(NamedTuple):
    """The fields of /proc/PID/stat that the lab needs (proc(5))."""

    pid: int
    state: str
    parent: int
    session: int

    @property
    def stopped(self) -> bool:
        return self.state in "Tt"


def processes() -> list[Process]:
    """Return all living processes, without zombies."""
    living = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # the process may have ended since the listing
            text = (entry / "stat").read_text(encoding="utf-8", errors="replace")
            fields = text.rpartition(")")[2].split()
            if fields and fields[0] not in "ZX":
                living.append(Process(int(entry.name), fields[0], int(fields[1]), int(fields[3])))
    return living


def family(sessions: Iterable[int], running: Iterable[Process]) -> list[Process]:
    """Return the processes of the given sessions, and all descendants of these processes in any session."""
    chosen, candidates = set(sessions), list(running)
    members: dict[int, Process] = {}
    while new := [
        process
        for process in candidates
        if process.pid not in members and (process.session in chosen or process.parent in members)
    ]:
        members |= {process.pid: process for process in new}
    return list(members.values())


def listening_ports() -> set[int]:
    """Return the TCP ports with a listener in this network namespace, without connecting to the ports."""
    ports = set()
    # Servers in Go listen on all addresses with one IPv6 socket.
    for table in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        lines = table.read_text(encoding="ascii").splitlines() if table.exists() else []
        for fields in map(str.split, lines[1:]):
            if fields[3] == "0A":
                ports.add(int(fields[1].rpartition(":")[2], 16))
    return ports


@dataclass(eq=False, slots=True)
class Child:
    """A process that `Children` started, the leader of its session and process group."""

    pid: int
    on_exit: "Callable[[Child], None] | None" = None
    ended: threading.Event = field(default_factory=threading.Event)
    status: int = 0
    """The exit status as a shell reports it. Valid after `ended` is set."""

    def signal_group(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.pid, number)


class Children:
    """Start processes from any thread, and reap all processes. Call `reap` after each SIGCHLD."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        """Prevents reaping while a child is started, because another process could get its pid before the child is in
        the table."""
        # Envoy gets a SIGTERM when the thread that started it ends (prctl(2), PR_SET_PDEATHSIG).
        self._starter = ThreadPoolExecutor(1, "starter")
        self._children: dict[int, Child] = {}

    def spawn(self, argv: Sequence[str], on_exit: Callable[[Child], None] | None = None, **options: Any) -> Child:
        """Start a process with the given options of Popen. Raises OSError if the program cannot be executed."""
        with self._lock:
            start = partial(subprocess.Popen, argv, start_new_session=True, **options)
            process = self._starter.submit(start).result()
            process.returncode = 0  # `reap` waits for the process, so Popen must not
            child = Child(process.pid, on_exit)
            self._children[child.pid] = child
        return child

    def reap(self) -> None:
        finished = []
        with self._lock, suppress(ChildProcessError):
            while (waited := os.waitpid(-1, os.WNOHANG))[0]:
                child = self._children.pop(waited[0], None)
                if child is not None:
                    child.status = shell_status(os.waitstatus_to_exitcode(waited[1]))
                    finished.append(child)
        for child in finished:
            child.ended.set()
            if child.on_exit is not None:
                child.on_exit(child)


def signal_process(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)
