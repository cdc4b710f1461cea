"""The runner's end of the watchdog's pipe."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from switchover.faults.watchdog import KEEP_TRYING_S, LOG_FILE, VERIFY_S
from switchover.model.errors import FaultError
from switchover.process.command import COMMAND_TIMEOUT_S

READY_S = 10.0
"""How long the watchdog may take to start on a busy machine."""


class UndoList:
    """What is to be undone if this process dies; held by the watchdog from `start` to `close`."""

    def __init__(self, name: str, directory: Path) -> None:
        self._name = name
        self.log = directory / LOG_FILE
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "switchover.faults.watchdog", str(directory), str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,
        )

    @classmethod
    def start(
        cls, name: str, directory: Path, heal: Sequence[str] | None, verify: Sequence[str] | None
    ) -> "UndoList":
        """Start the watchdog and wait until it watches. Raises FaultError when it does not."""
        undo = cls(name, directory)
        undo._await_ready()
        undo._send(json.dumps({"name": name, "heal": heal, "verify": verify}))
        return undo

    def firing(self) -> None:
        """From now on the watchdog heals if this process dies. Raises FaultError when the watchdog is dead itself."""
        if not self._send("firing"):
            raise FaultError(
                f"{self._name} does not fire: its watchdog has died, and nothing else outlives this process"
            )

    def kill_runs(self, group: int) -> None:
        """The kill command's process group, to be ended before anything is healed."""
        self._send(f"group {group}")

    def kill_done(self) -> None:
        self._send("fired")

    def healed(self) -> None:
        self._send("healed")

    def close(self) -> bool:
        """End the pipe and wait for the watchdog, which heals now if it was not told `healed`.

        False when it had to, and could not, or is not done within all the time that it may take.
        """
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            return self._process.wait(KEEP_TRYING_S + COMMAND_TIMEOUT_S + 2 * VERIFY_S + READY_S) == 0
        except subprocess.TimeoutExpired:
            return False

    def _await_ready(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        timer = threading.Timer(READY_S, self._process.kill)
        timer.start()
        with self._process.stdout as output:
            said = output.readline()
        timer.cancel()
        if said != b"ready\n":
            self._process.stdin.close()
            status = self._process.wait()
            raise FaultError(
                f"{self._name} does not fire: its watchdog did not start (exit status {status}); "
                f"can {self.log} be written?"
            )

    def _send(self, line: str) -> bool:
        """False when the watchdog has died; after the firing that changes nothing for this process."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode() + b"\n")
        except BrokenPipeError:
            return False
        return True
