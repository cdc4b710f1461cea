"""The undo list in a process of its own: heals when the runner cannot, because it was killed.

It reads from a pipe: a line of JSON with the commands, then `firing`, `group N` (the kill command runs as that
process group), `fired` (it has ended) and `healed`. When the pipe ends, or its parent is another one than at the
start, the runner is dead: if a fault was fired and not healed, it is healed now, after its kill command was ended.
It has a session of its own, ends by no signal that a terminal or a service manager sends, and holds none of the
runner's outputs open.
"""

import json
import os
import select
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from switchover.process.command import COMMAND_TIMEOUT_S, run_command
from switchover.process.groups import kill_group

LOG_FILE = "watchdog.log"

LOOK_S = 0.2
"""How often it looks whether its parent lives, in case a fork of the runner still holds the pipe."""

RETRY_S = 1.0
KEEP_TRYING_S = 60.0
"""How long it goes on when the heal fails: a node may be out of reach for a while."""

VERIFY_S = 5.0
"""How long the proof of one heal may take to hold."""

IGNORED_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)


class Watchdog:
    """The state of the one fault that it watches over."""

    def __init__(self, log: TextIO, parent: int) -> None:
        self._log = log
        self._parent = parent
        self._heal: list[str] | None = None
        self._verify: list[str] | None = None
        self._name = "fault"
        self._kill_group: int | None = None
        self._kill_may_run = False
        self.fired = False
        self.healed = False

    def watch(self, pipe: int) -> None:
        """Follow the runner's lines until it says that all is well, or is dead."""
        buffered = b""
        while not self.healed:
            ready, _, _ = select.select([pipe], [], [], LOOK_S)
            if ready:
                piece = os.read(pipe, 65536)
                if not piece:
                    self.note("the runner is gone: its pipe has ended")
                    return
                *lines, buffered = (buffered + piece).split(b"\n")
                for line in lines:
                    self._read_line(line)
            elif os.getppid() != self._parent:
                self.note(f"the runner is gone: process {self._parent} is no longer the parent")
                return

    def heal(self) -> bool:
        """Heal, and again until the proof holds or the time is over."""
        if self._heal is None and self._verify is None:
            self.note(f"{self._name} has no heal: nothing to do")
            return True
        if self._kill_may_run and self._kill_group is not None:
            kill_group(self._kill_group)
        deadline = time.monotonic() + KEEP_TRYING_S
        while True:
            if self._heal_once():
                if self._kill_may_run:
                    # What it had started elsewhere may have struck after the heal.
                    self._kill_may_run = False
                    time.sleep(RETRY_S)
                    continue
                self.note(f"{self._name} is HEALED")
                return True
            if time.monotonic() > deadline:
                self.note(f"{self._name} is NOT HEALED after {KEEP_TRYING_S:g} s of trying: heal it by hand")
                return False
            time.sleep(RETRY_S)

    def note(self, text: str) -> None:
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        try:
            self._log.write(f"{moment} {text}\n")
            self._log.flush()
        except OSError:
            return  # a full disk must not keep it from healing

    def _read_line(self, line: bytes) -> None:
        if line == b"firing":
            self.fired = self._kill_may_run = True
            self.note(f"{self._name} is being fired")
        elif line.startswith(b"group "):
            self._kill_group = int(line.split()[1])
        elif line == b"fired":
            self._kill_may_run = False
        elif line == b"healed":
            self.healed = True
            self.note(f"{self._name}: the runner has healed it")
        else:
            undo = json.loads(line)
            self._name, self._heal, self._verify = undo["name"], undo["heal"], undo["verify"]

    def _heal_once(self) -> bool:
        if self._heal is not None:
            outcome = run_command(self._heal, COMMAND_TIMEOUT_S)
            self.note(f"heal: {outcome}")
            if self._verify is None:
                return outcome.ok
        assert self._verify is not None
        return self._proved(self._verify)

    def _proved(self, verify: Sequence[str]) -> bool:
        deadline = time.monotonic() + VERIFY_S
        while not (outcome := run_command(verify, VERIFY_S)).ok:
            if time.monotonic() > deadline:
                self.note(f"proof of the heal: {outcome}")
                return False
            time.sleep(0.05)
        return True


def main(directory: Path, parent: int) -> int:
    """Says `ready` on its output once it watches; exit status 0 unless a fault stays unhealed."""
    for number in IGNORED_SIGNALS:
        # A handler, not SIG_IGN: the commands that it runs would inherit that.
        signal.signal(number, lambda _number, _frame: None)
    with (directory / LOG_FILE).open("a", encoding="utf-8") as log:
        watchdog = Watchdog(log, parent)
        os.write(sys.stdout.fileno(), b"ready\n")
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, sys.stdout.fileno())
        watchdog.watch(sys.stdin.fileno())
        if watchdog.healed or not watchdog.fired:
            return 0
        return 0 if watchdog.heal() else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2])))
