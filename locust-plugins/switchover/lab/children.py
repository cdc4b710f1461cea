"""The children of a process that is PID 1: those it started itself, and the orphans that fall to it."""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from switchover.process.signals import shell_status


@dataclass(eq=False, slots=True)
class Child:
    """A process that was started here, the leader of its own session and process group."""

    pid: int
    on_exit: "Callable[[Child], None] | None" = None
    ended: threading.Event = field(default_factory=threading.Event)
    status: int = 0
    """As a shell has it. Valid once `ended` is set."""

    def signal_group(self, number: int) -> None:
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            return


class Children:
    """Starts processes from any thread and reaps everything; `reap` must be called after each SIGCHLD.

    The lock makes starting and reaping exclusive, so that no status can be lost between the start of a process and
    its entry in the table, and none can be mistaken for that of an orphan with the same pid.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # Envoy asks for a SIGTERM at the end of its parent, which is the thread that started it (prctl(2)).
        self._starter = ThreadPoolExecutor(1, "starter")
        self._children: dict[int, Child] = {}

    def spawn(
        self,
        argv: Sequence[str],
        *,
        stdin: int,
        stdout: int,
        stderr: int,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        on_exit: Callable[[Child], None] | None = None,
    ) -> Child:
        """Raises OSError when the program cannot be run."""
        with self._lock:
            process = self._starter.submit(
                subprocess.Popen,
                argv,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                env=env,
                cwd=cwd,
                start_new_session=True,
            ).result()
            process.returncode = 0  # the reaper waits for it, so Popen must not
            child = Child(process.pid, on_exit)
            self._children[child.pid] = child
        return child

    def adopt(self, pid: int, on_exit: Callable[[Child], None]) -> Child:
        """An orphan that fell to this process, as if it had been started here."""
        with self._lock:
            child = self._children[pid] = Child(pid, on_exit)
        return child

    def reap(self) -> None:
        """Collect every child that has ended."""
        finished = []
        with self._lock:
            while True:
                try:
                    pid, status = os.waitpid(-1, os.WNOHANG)
                except ChildProcessError:
                    break
                if pid == 0:
                    break
                child = self._children.pop(pid, None)
                if child is not None:
                    child.status = shell_status(os.waitstatus_to_exitcode(status))
                    finished.append(child)
        for child in finished:
            child.ended.set()
            if child.on_exit is not None:
                child.on_exit(child)


def signal_process(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
