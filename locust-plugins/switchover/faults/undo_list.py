"""The sender of lines to the watchdog. The process of the run uses this sender."""

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
    """A file in the run directory that marks a fired fault. So a run can fire only one fault at a time."""

    def __init__(self, directory: Path, fault: str) -> None:
        self._path = directory / FIRED_FILE
        self._refused = f"{fault} does not fire"
        self._already = f"{self._refused}: a fault was fired in this run already, as {self._path} shows"
        self._text = f"{fault} by process {os.getpid()}\n"

    def require_absent(self) -> None:
        if self._path.exists():
            raise FaultError(self._already)

    def create(self) -> None:
        """Create the file. Raises FaultError if the file exists. Mode `x` ensures that only one process can create
        the file."""
        try:
            with self._path.open("x", encoding="utf-8") as file:
                file.write(self._text)
        except FileExistsError as error:
            raise FaultError(self._already) from error
        except OSError as error:
            self._path.unlink(missing_ok=True)
            raise FaultError(f"{self._refused}: cannot write {self._path}: {error.strerror}") from error

    def remove(self) -> None:
        """Remove the file after the fault is undone, so that the next fault of a series may be fired."""
        self._path.unlink(missing_ok=True)


READY_S = 10.0
"""The time limit for the start of the watchdog, in seconds, for a busy machine."""

BEAT_S = 0.5
"""The minimum time between two equal lines to the watchdog, in seconds."""


class UndoList:
    """The connection to the watchdog. The watchdog heals the fault if this process dies or hangs."""

    def __init__(self, name: str, directory: Path, inherited: Sequence[int] = ()) -> None:
        self._name = name
        self.log = directory / LOG_FILE
        self._beat_at = 0.0
        self._last_line = ""
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
        """Start the watchdog, and wait until it is ready. Raises FaultError if the watchdog does not start.

        `inherited`: descriptors that the watchdog keeps open, such as lock files, which must stay locked if this
        process dies.
        """
        undo_list = cls(undo.name, directory, inherited)
        undo_list._await_ready()
        undo_list.send(json.dumps(asdict(undo)))
        return undo_list

    def firing(self) -> None:
        """Report that the kill starts. If this process dies after this report, the watchdog heals the fault. Raises
        FaultError if the watchdog has died."""
        if not self.send("firing"):
            raise FaultError(
                f"{self._name} does not fire: its watchdog has died, so nothing would heal the fault if this process "
                "died"
            )

    def beat(self, heal_within_s: float | None = None) -> None:
        """Report that this process is alive, and that the heal begins within `heal_within_s`."""
        self._send_at_times("beat" if heal_within_s is None else f"within {heal_within_s:.3f}")

    def healing(self) -> None:
        """Report that this process is healing the fault. The caller must repeat the report while the heal runs."""
        self._send_at_times("healing")

    def close(self) -> bool:
        """Close the pipe and wait for the watchdog, which then heals unless it has received `healed`.

        False: the watchdog has to heal the fault, and has not healed it yet. It continues after this process ends.
        """
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            return self._process.wait(KEEP_TRYING_S + COMMAND_TIMEOUT_S + 2 * VERIFY_S + READY_S) == 0
        except subprocess.TimeoutExpired:
            return False

    @property
    def has_died(self) -> bool:
        """True: the watchdog crashed or was killed. False: the watchdog runs, has done its work, or has reached its
        time limit."""
        return self._process.poll() not in (None, 0, 1)

    @property
    def outlook(self) -> str:
        """Describe the state of the watchdog for the user. This text is needed if this process could not heal the
        fault."""
        status = self._process.poll()
        if status is None:
            return f"the watchdog continues for up to {LONGEST_S / 3600:g} hours (see {self.log})"
        return f"the watchdog has ended (exit status {status}) and heals nothing (see {self.log})"

    def _send_at_times(self, line: str) -> None:
        """Send a line at once if it differs from the last line. Send an equal line at most every `BEAT_S`."""
        now = time.monotonic()
        if now >= self._beat_at or line != self._last_line:
            self._beat_at, self._last_line = now + BEAT_S, line
            self.send(line)

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
        # A watchdog that heals reads its pipe rarely, and this process must not wait for it.
        os.set_blocking(self._process.stdin.fileno(), False)

    def send(self, line: str) -> bool:
        """Send a line to the watchdog. Return False if the watchdog has died."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode() + b"\n")
        except BrokenPipeError:
            return False
        except BlockingIOError:
            return True
        return True
