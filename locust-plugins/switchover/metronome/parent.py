"""The parent's side: starts the metronome's process, follows its progress, ends it and takes its account."""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import fields
from pathlib import Path
from types import TracebackType
from typing import Any

import switchover
from switchover.clock import Clock
from switchover.errors import SwitchoverError
from switchover.metronome.account import MetronomeProgress
from switchover.metronome.spec import MetronomeSpec

READY_TIMEOUT_S = 15.0
"""Start of Python, name resolution, opening of files; a resolver that does not answer takes 10 s by default."""
STOP_TIMEOUT_S = 10.0
"""On top of the probes' own timeouts, for writing on a busy disk."""

ACCOUNT = (
    "scheduled",
    "recorded",
    "unsent",
    "gaps",
    "lag_p50_ms",
    "lag_p99_ms",
    "lag_max_ms",
    "first_due_us",
    "last_due_us",
    "rate",
    "kept",
    "cpu_percent",
    "realtime",
    "lost",
    "warning",
)
"""The fields of an account. Those of the schedule are the fresh stream's; `kept` has the same for the kept one.
`realtime`: the process had real-time scheduling up to its end; `lost`: recorded, but the disk was full."""

_PROGRESS = tuple(item.name for item in fields(MetronomeProgress))


class Metronome:
    """A running metronome. As a context manager it stops at the end, whatever happened in between."""

    def __init__(self, spec: MetronomeSpec, clock: Clock) -> None:
        self._lasts_s = spec.timeout_connect_s + spec.timeout_read_s
        self._progress: MetronomeProgress | None = None
        self._account: dict[str, Any] | None = None
        self._address: str | None = None
        self._error: str | None = None
        self._stopping = False
        self._settled = threading.Event()
        """It is ready, or has ended."""
        self._complaints: deque[str] = deque(maxlen=20)
        """The last lines of its stderr."""
        self._heard = time.monotonic()
        """When it last said anything."""
        self._process = _spawn(clock)
        self._readers = [
            threading.Thread(target=self._follow, name="metronome-stdout", daemon=True),
            threading.Thread(target=self._listen, name="metronome-stderr", daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        self._write(spec.to_json() + "\n")

    @classmethod
    def start(cls, spec: MetronomeSpec, clock: Clock | None = None) -> "Metronome":
        """Start it and wait until it is ready; SwitchoverError with its own words if it cannot be.

        Without a `clock` it is the one that this process inherited or takes now.
        """
        metronome = cls(spec, clock or Clock.of_process())
        if not metronome._settled.wait(READY_TIMEOUT_S) or metronome._address is None:
            silent = f"the metronome was not ready within {READY_TIMEOUT_S:g} s: is the name server silent?"
            ended = metronome._process.poll() is not None
            metronome._kill()
            raise SwitchoverError(metronome._error or (metronome._reason() if ended else silent))
        return metronome

    def __enter__(self) -> "Metronome":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def address(self) -> str:
        """Where the URL's name led, `198.18.0.50:80`."""
        return self._address or ""

    @property
    def died(self) -> str | None:
        """Why it ended without having been told to; None while it runs and after `stop`."""
        if self._stopping or self._process.poll() is None:
            return None
        return self._reason()

    def progress(self) -> MetronomeProgress | None:
        """The latest state, at most about a second old; None before the first."""
        return self._progress

    @property
    def silent_s(self) -> float:
        """How long it has said nothing; it speaks each second."""
        return time.monotonic() - self._heard

    def stop(self) -> dict[str, Any]:
        """End it, wait for the probes under way, and return its account; again, the same account.

        An account that never came (the process had died) has the counts that were last known, and a `warning`.
        """
        died = self.died
        self._stopping = True
        if self._process.stdin and not self._process.stdin.closed:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(self._lasts_s + STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            died = f"the metronome did not end within {self._lasts_s + STOP_TIMEOUT_S:g} s and was killed"
        self._kill()
        if self._account is None:
            self._account = _account_of_the_dead(self._progress, died or self._reason())
        return self._account

    def _kill(self) -> None:
        self._stopping = True
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for reader in self._readers:
            reader.join()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe and not pipe.closed:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _reason(self) -> str:
        code = self._process.returncode
        how = f"was killed by signal {-code}" if code is not None and code < 0 else f"ended with code {code}"
        last = self._error or next((line for line in reversed(self._complaints) if line.strip()), "")
        return f"the metronome {how}" + (f": {last.strip()}" if last else "")

    def _write(self, text: str) -> None:
        assert self._process.stdin is not None
        # If it has ended already, `start` says why.
        with contextlib.suppress(OSError):
            self._process.stdin.write(text)
            self._process.stdin.flush()

    def _follow(self) -> None:
        """Reads everything that the process says, so that it never waits for us."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                self._complaints.append(line)
                continue
            self._heard = time.monotonic()
            if "ready" in message:
                self._address = message["address"]
                self._settled.set()
            elif "error" in message:
                self._error = message["error"]
            elif "account" in message:
                self._account = message["account"]
            else:
                self._progress = MetronomeProgress(**{name: message.get(name) for name in _PROGRESS})
        self._process.wait()
        self._settled.set()

    def _listen(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._complaints.append(line)


def _spawn(clock: Clock) -> "subprocess.Popen[str]":
    """In a session of its own: Ctrl-C in the terminal is for the parent, which then ends it in order."""
    package = str(Path(switchover.__file__).parents[1])
    path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "switchover.metronome"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env={**os.environ, **clock.environment(), "PYTHONPATH": path},
            start_new_session=True,
        )
    except OSError as error:
        raise SwitchoverError(f"cannot start the metronome with {sys.executable}: {error.strerror}") from error


def _account_of_the_dead(progress: MetronomeProgress | None, reason: str) -> dict[str, Any]:
    recorded = progress.good + progress.failed + progress.late if progress else None
    return {**dict.fromkeys(ACCOUNT), "recorded": recorded, "gaps": [], "warning": reason}
