"""No command outlives the program that started it, not even when that program is killed with SIGKILL.

Every command runs in a process group of its own. One small process (this file, run as a script) is told the groups
over a pipe; when the pipe ends, because its owner closed it or died, it kills those that are left. A death signal
set in the child would be lost by setuid programs such as sudo and would reach one process of the group only.
"""

import os
import signal
import subprocess
import sys
import threading


class Leash:
    """Holds process groups; one helper process for all of them, started with the first. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._keeper: subprocess.Popen[bytes] | None = None
        self._closed = False

    def hold(self, group: int) -> None:
        self._tell(f"+{group}\n")

    def release(self, group: int) -> None:
        self._tell(f"-{group}\n")

    def close(self) -> None:
        """End the helper; it kills what is still held."""
        with self._lock:
            keeper, self._keeper, self._closed = self._keeper, None, True
        if keeper is not None:
            assert keeper.stdin is not None
            keeper.stdin.close()
            keeper.wait()

    def _tell(self, line: str) -> None:
        with self._lock:
            if self._keeper is None:
                if self._closed or line.startswith("-"):
                    return
                self._keeper = _start_keeper()
            assert self._keeper.stdin is not None
            try:
                self._keeper.stdin.write(line.encode())
            except BrokenPipeError:
                # Somebody ended the helper: what runs is still bounded by its own deadline.
                self._keeper.stdin.close()
                self._keeper.wait()
                self._keeper = None


def kill_group(group: int) -> None:
    """SIGKILL to every process of a group; one that is gone already is no error."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _start_keeper() -> subprocess.Popen[bytes]:
    # A session of its own: a signal to the owner's group or terminal must not take the keeper with it.
    return subprocess.Popen(
        [sys.executable, "-I", "-S", __file__],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def keep() -> None:
    """The helper's whole life: follow the lines on stdin, then kill what is left."""
    held: set[int] = set()
    for line in sys.stdin:
        group = int(line[1:])
        if line[0] == "+":
            held.add(group)
        else:
            held.discard(group)
    for group in held:
        kill_group(group)


if __name__ == "__main__":
    keep()
