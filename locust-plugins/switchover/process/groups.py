"""Kill a command with all its children, even if this program is killed with SIGKILL.

A helper process (this file, run as a script) receives the numbers of process groups through a pipe. When this program
closes the pipe or dies, the helper kills the remaining groups. A parent-death signal (prctl) is not enough: setuid
programs such as sudo clear the signal, and the signal reaches only one process.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from typing import Any

GONE_WITHIN_S = 1.0
"""The seconds to wait for the end of a process after SIGKILL. A process that runs under sudo, or waits for a failed
disk, survives."""


def kill_group(group: int) -> None:
    """Send SIGKILL to every process of a group. A missing group and a group of another user are ignored."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


class Leftovers:
    """Processes of a group that outlive their command. Call `look` often, because a group's number may be reused."""

    def __init__(self) -> None:
        self._group: int | None = None

    def belong_to(self, group: int) -> None:
        self._group = group

    def look(self) -> None:
        if self._group is not None:
            try:
                with contextlib.suppress(PermissionError):
                    os.killpg(self._group, 0)
            except ProcessLookupError:
                self._group = None

    def end(self) -> None:
        self.look()
        if self._group is not None:
            kill_group(self._group)
            self._group = None


def end_group(process: "subprocess.Popen[Any]") -> bool:
    """Kill the process group of a process. Returns False if the process survives, for example under sudo."""
    kill_group(process.pid)
    try:
        process.wait(GONE_WITHIN_S)
    except subprocess.TimeoutExpired:
        return False
    return True


def wait_or_kill(process: "subprocess.Popen[Any]", seconds: float) -> None:
    """Wait for a process, and kill it if it still runs after `seconds`."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class OrphanGuard:
    """Kill the registered process groups when this program ends in any way. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._helper: subprocess.Popen[bytes] | None = None

    def add(self, group: int) -> None:
        self._send(f"+{group}\n")

    def remove(self, group: int) -> None:
        self._send(f"-{group}\n")

    def close(self) -> None:
        with self._lock:
            helper, self._helper = self._helper, None
        if helper is not None:
            assert helper.stdin is not None
            helper.stdin.close()
            helper.wait()

    def _send(self, line: str) -> None:
        with self._lock:
            if self._helper is None:
                if line.startswith("-"):
                    return
                self._helper = _start_helper()
            assert self._helper.stdin is not None
            try:
                self._helper.stdin.write(line.encode())
            except BrokenPipeError:
                # The helper was killed. Each running command still has its own deadline.
                self._helper.stdin.close()
                self._helper.wait()
                self._helper = None


COMMANDS = OrphanGuard()


def _start_helper() -> subprocess.Popen[bytes]:
    # In a separate session, the helper does not receive signals to the owner's group or terminal.
    return subprocess.Popen(
        [sys.executable, "-I", "-S", __file__],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def kill_groups_at_the_end() -> None:
    groups: set[int] = set()
    for line in sys.stdin:
        group = int(line[1:])
        if line[0] == "+":
            groups.add(group)
        else:
            groups.discard(group)
    for group in groups:
        kill_group(group)


if __name__ == "__main__":
    kill_groups_at_the_end()
