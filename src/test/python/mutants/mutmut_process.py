"""mutmut, in a process that waits for its own workers only.

The tests that it runs before it changes anything leave other children behind, and it ends with a KeyError at the
first one whose end it hears of (measured with 3.8.1).
"""

import os
import runpy

_fork, _wait = os.fork, os.wait
_workers: set[int] = set()


def fork() -> int:
    pid = _fork()
    if pid:
        _workers.add(pid)
    else:
        os.fork, os.wait = _fork, _wait
    return pid


def wait() -> tuple[int, int]:
    while True:
        pid, status = _wait()
        if pid in _workers:
            _workers.remove(pid)
            return pid, status


if __name__ == "__main__":
    os.fork, os.wait = fork, wait
    runpy.run_module("mutmut", run_name="__main__")
