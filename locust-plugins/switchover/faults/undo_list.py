"""The runner's end of the watchdog's pipe."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from switchover.faults.healer import KEEP_TRYING_S, VERIFY_S, Undo
from switchover.faults.watchdog import LOG_FILE, LONGEST_S
from switchover.model.errors import FaultError
from switchover.process.command import COMMAND_TIMEOUT_S

FIRED_FILE = "fault.fired"


class FiredFile:
    """The file of one run, for the fault that is to be fired in it."""

    def __init__(self, directory: Path, fault: str) -> None:
        self._path = directory / FIRED_FILE
        self._refused = f"{fault} does not fire"
        self._already = f"{self._refused}: a fault was fired in this run already, as {self._path} says"
        self._text = f"{fault} by process {os.getpid()}\n"

    def require_absent(self) -> None:
        if self._path.exists():
            raise FaultError(self._already)

    def create(self) -> None:
        """Create the file, or raise FaultError. Mode `x` lets only one process create it."""
        try:
            with self._path.open("x", encoding="utf-8") as file:
                file.write(self._text)
        except FileExistsError as error:
            raise FaultError(self._already) from error
        except OSError as error:
            self._path.unlink(missing_ok=True)
            raise FaultError(f"{self._refused}: cannot write {self._path}: {error.strerror}") from error

    def remove(self) -> None:
        """Remove the file after the fault is undone, so that the next fault of a series may fire."""
        self._path.unlink(missing_ok=True)


READY_S = 10.0
"""The time that the watchdog may take to start on a busy machine."""

BEAT_S = 0.5
"""The shortest time between two heartbeats to the watchdog."""


class UndoList:
    """The undo that the watchdog runs if this process dies or hangs. The watchdog has it from `start` to `close`."""

    def __init__(self, name: str, directory: Path, inherited: Sequence[int] = ()) -> None:
        self._name = name
        self.log = directory / LOG_FILE
        self._beat_at = 0.0
        self._last_said = ""
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "switchover.faults.watchdog", str(directory), str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            pass_fds=inherited,
            start_new_session=True,
        )

    @classmethod
    def start(cls, undo: Undo, directory: Path, inherited: Sequence[int] = ()) -> "UndoList":
        """Start the watchdog and wait until it watches. Raises FaultError when it does not.

        `inherited`: descriptors that it keeps open, such as those of a lock that must outlive this process.
        """
        undo_list = cls(undo.name, directory, inherited)
        undo_list._await_ready()
        undo_list.say(json.dumps(asdict(undo)))
        return undo_list

    def firing(self) -> None:
        """Make the watchdog heal from now on if this process dies. Raises FaultError if the watchdog is dead."""
        if not self.say("firing"):
            raise FaultError(
                f"{self._name} does not fire: its watchdog has died, and nothing else outlives this process"
            )

    def beat(self, heal_within_s: float | None = None) -> None:
        """Report that this process is alive, and that its heal begins within `heal_within_s`. May be called at any
        rate."""
        self._say_at_times("beat" if heal_within_s is None else f"within {heal_within_s:.3f}")

    def healing(self) -> None:
        """Report that this process is healing. Must be repeated as long as the heal runs."""
        self._say_at_times("healing")

    def close(self) -> bool:
        """Close the pipe and wait for the watchdog, which heals now unless it received `healed`.

        Returns False if the watchdog had to heal and did not within its time. It then continues alone.
        """
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            return self._process.wait(KEEP_TRYING_S + COMMAND_TIMEOUT_S + 2 * VERIFY_S + READY_S) == 0
        except subprocess.TimeoutExpired:
            return False

    @property
    def has_died(self) -> bool:
        """True if the watchdog crashed or was killed, not if its work was done or its time was over."""
        return self._process.poll() not in (None, 0, 1)

    @property
    def outlook(self) -> str:
        """The watchdog's state, for a user whose fault this process did not heal."""
        status = self._process.poll()
        if status is None:
            return f"the watchdog goes on for up to {LONGEST_S / 3600:g} hours (see {self.log})"
        return f"the watchdog has ended (exit status {status}) and heals nothing (see {self.log})"

    def _say_at_times(self, line: str) -> None:
        """Send a new line at once, and repeat the same line at most every `BEAT_S`."""
        now = time.monotonic()
        if now >= self._beat_at or line != self._last_said:
            self._beat_at, self._last_said = now + BEAT_S, line
            self.say(line)

    def _await_ready(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        timer = threading.Timer(READY_S, self._process.kill)
        timer.start()
        with self._process.stdout as output:
            answer = output.readline()
        timer.cancel()
        if answer != b"ready\n":
            self._process.stdin.close()
            status = self._process.wait()
            raise FaultError(
                f"{self._name} does not fire: its watchdog did not start (exit status {status}); "
                f"can {self.log} be written?"
            )
        # A watchdog that heals reads seldom; this process must not wait for it.
        os.set_blocking(self._process.stdin.fileno(), False)

    def say(self, line: str) -> bool:
        """Send one of the watchdog's lines. Return False if the watchdog has died. After the firing this changes
        nothing for this process."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode() + b"\n")
        except BrokenPipeError:
            return False
        except BlockingIOError:
            return True
        return True
