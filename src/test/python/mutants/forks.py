"""Work in processes of their own, which share what this one has made ready, and must end."""

import os
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

BROKEN = 1
"""What work ends with that raised."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Of a process, in whole seconds."""

    cpu_s: int
    time_s: int


class Forks:
    """Work in processes of their own, a few at a time; each has a folder for its temporary files."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._ended: dict[int, Callable[[int], None]] = {}
        self._folder = Path(tempfile.mkdtemp(prefix="m"))

    def begin(self, work: Callable[[], int], ended: Callable[[int], None], limits: Limits) -> None:
        """`ended` is given what `work` returned, or the number of the signal that ended it, negative."""
        while len(self._ended) >= self._processes:
            self._wait_for_one()
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            self._be(work, limits)
        self._ended[pid] = ended

    def wait(self) -> None:
        while self._ended:
            self._wait_for_one()

    def close(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _wait_for_one(self) -> None:
        found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
        assert found is not None
        pid = found.si_pid
        folder = self._folder / str(pid)
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        _end_all_of(folder)
        _, status = os.waitpid(pid, 0)
        shutil.rmtree(folder, ignore_errors=True)
        self._ended.pop(pid)(os.waitstatus_to_exitcode(status))

    def _be(self, work: Callable[[], int], limits: Limits) -> None:
        code = BROKEN
        try:
            os.setpgid(0, 0)
            signal.alarm(limits.time_s)
            resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_s, limits.cpu_s + 1))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            folder = self._folder / str(os.getpid())
            folder.mkdir()
            tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
            code = work()
        finally:
            os._exit(code)


def _end_all_of(folder: Path) -> None:
    """What work has left behind in a session of its own: it stands in the folder, or was told of it."""
    mark = os.fsencode(folder) + b"/"
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            seen = (entry / "cmdline").read_bytes() + os.fsencode((entry / "cwd").readlink())
            if mark in seen:
                os.kill(int(entry.name), signal.SIGKILL)
