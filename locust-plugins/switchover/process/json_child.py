"""A child process that exchanges JSON messages with its parent. Each message is one line.

`JsonChild` is the parent's side. `run`, `send_message` and `send_or_drop` are the child's side.
"""

import contextlib
import json
import os
import select
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import switchover
from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError
from switchover.process.standard_output import unbroken_output

PARENT_LOOK_S = 0.5


class JsonChild:
    """A process `python -m MODULE` in a separate session, whose stdin ends when the parent dies.

    Ctrl-C in the terminal reaches only the parent. The class also works after gevent's monkey patching.
    """

    def __init__(
        self,
        module: str,
        name: str,
        clock: Clock,
        on_message: Callable[[dict[str, Any]], None],
        *,
        on_end: Callable[[], None],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """A thread calls `on_message` with each message, and `on_end` after the last message. `name`: the name of the
        process in errors."""
        self._name = name
        self._on_message = on_message
        self._on_end = on_end
        self._ending = False
        self._ended = threading.Event()
        self._complaints: deque[str] = deque(maxlen=20)
        self._message_s = time.monotonic()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                env={**os.environ, **clock.environment(), **package_environment(), **(environment or {})},
                start_new_session=True,
            )
        except OSError as error:
            raise SwitchoverError(f"cannot start the {name} with {sys.executable}: {error.strerror}") from error
        self._readers = [
            threading.Thread(target=self._read_messages, name=f"{name}-stdout", daemon=True),
            threading.Thread(target=self._read_errors, name=f"{name}-stderr", daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def died(self) -> str | None:
        """Return the reason for an unexpected end. None while the process runs, and after `hang_up`."""
        return None if self._ending or self._process.poll() is None else self.reason()

    @property
    def silent_s(self) -> float:
        return time.monotonic() - self._message_s

    def send(self, message: Mapping[str, Any]) -> None:
        self.send_line(json.dumps(message))

    def send_line(self, line: str) -> None:
        """Send one line of JSON, or drop it if the process has ended."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def hang_up(self) -> None:
        self._ending = True
        if self._process.stdin and not self._process.stdin.closed:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    def wait(self, timeout_s: float) -> bool:
        return self._ended.wait(timeout_s)

    def kill(self) -> None:
        """Kill the process if it still runs, and read all its output."""
        self.hang_up()
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for reader in self._readers:
            reader.join()

    def reason(self) -> str:
        code = self._process.poll()
        how = f"was killed by signal {-code}" if code is not None and code < 0 else f"ended with code {code}"
        last = next((line for line in reversed(self._complaints) if line.strip()), "")
        return f"the {self._name} {how}" + (f": {last.strip()}" if last else "")

    def _read_messages(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as output:
            for line in output:
                try:
                    message = json.loads(line)
                except ValueError:
                    self._complaints.append(line)
                    continue
                self._message_s = time.monotonic()
                if isinstance(message, dict):
                    self._on_message(message)
        self._process.wait()
        self._readers[1].join()
        self._ended.set()
        self._on_end()

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as output:
            for line in output:
                self._complaints.append(line)


def package_environment() -> dict[str, str]:
    package = str(Path(switchover.__file__).parents[1])
    return {"PYTHONPATH": os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))}


def run(main: Callable[[], None], *, orphan_s: float | None = None) -> NoReturn:
    """Run `main` in the child process, and report a SwitchoverError to the parent.

    `orphan_s`: the maximum time that the child runs after its parent has ended, even if the child hangs.
    """
    if orphan_s is not None:
        watch = threading.Thread(target=_end_after_parent, args=(os.getppid(), orphan_s), daemon=True)
        watch.start()
    status = 0
    with unbroken_output():
        try:
            main()
        except SwitchoverError as error:
            send_message({"error": str(error)})
            status = error.exit_code
    sys.exit(status)


def _end_after_parent(parent: int, orphan_s: float) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_LOOK_S)
    time.sleep(orphan_s)
    os._exit(1)


def send_message(message: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


def send_or_drop(message: dict[str, Any]) -> None:
    """Send a message, or drop it if the parent does not read. A later message repeats the facts."""
    if select.select((), (sys.stdout,), (), 0)[1]:
        send_message(message)
