"""The watchdog: a separate process that heals a fault if the runner (the process that fires the fault) was killed or
hangs.

The watchdog reads a pipe. The first line is JSON with the commands. Each further line has one of these forms:

    `firing`: the kill command starts.
    `group N`: the kill command runs as process group N.
    `fired`: the kill command has ended.
    `within S`: the heal begins within S seconds.
    `beat`: the runner is alive.
    `healing`: the runner is healing, sent repeatedly.
    `healed`: the runner has healed the fault.
    `claimed`, `released`: the nodes are locked by the command `claim`, or unlocked.

The runner is dead if the pipe closes or the parent process changes. The runner is hung if its heal is overdue, or if
the runner is silent for too long. If the runner is dead or hung, the watchdog ends the kill command with its
children, and heals the fault. The watchdog heals again if a process that the kill command left on a node causes the
fault again. Signals are ignored, and a thread writes the log.
"""

import json
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO

from switchover.faults.healer import KEEP_TRYING_S, RETRY_S, VERIFY_S, Healer, Undo
from switchover.model.errors import FaultError, SwitchoverError
from switchover.process.command import COMMAND_TIMEOUT_S, CommandResult, run_command
from switchover.process.groups import Leftovers
from switchover.rundir.journal import Journal

FIRED_FILE = "fault.fired"


class FiredFile:
    """A file in the run directory that marks a fired fault, so that a run fires only one fault at a time."""

    def __init__(self, directory: Path, fault: str) -> None:
        self._path = directory / FIRED_FILE
        self._fault = fault

    def require_absent(self) -> None:
        if self._path.exists():
            raise self._already_fired()

    def _already_fired(self) -> FaultError:
        return self._refusal(f"a fault was fired in this run already, as {self._path} shows")

    def _refusal(self, why: str) -> FaultError:
        return FaultError(f"{self._fault} does not fire: {why}")

    def create(self) -> None:
        """Create the file with mode `x`, so that only one process can create it."""
        try:
            with self._path.open("x", encoding="utf-8") as file:
                file.write(f"{self._fault} by process {os.getpid()}\n")
        except FileExistsError as error:
            raise self._already_fired() from error
        except OSError as error:
            self._path.unlink(missing_ok=True)
            raise self._refusal(f"cannot write {self._path}: {error.strerror}") from error

    def remove(self) -> None:
        """Remove the file after the fault is undone, so that the next fault of a series may be fired."""
        self._path.unlink(missing_ok=True)


READY_S = 10.0
"""The time limit for the start of the watchdog, in seconds, for a busy machine."""

BEAT_S = 0.5
"""The minimum time between two equal lines to the watchdog, in seconds."""


class UndoList:
    """The connection to the watchdog. The watchdog heals the fault if this process dies or hangs."""

    def __init__(self, undo: Undo, directory: Path, inherited: Sequence[int] = ()) -> None:
        """Start the watchdog. Raises FaultError if the watchdog does not start. `inherited`: descriptors that the
        watchdog keeps open, such as lock files."""
        self._name = undo.name
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
        assert self._process.stdin is not None and self._process.stdout is not None
        self._pipe = self._process.stdin
        self._await_ready(self._process.stdout)
        self.send(json.dumps(asdict(undo)))

    def firing(self) -> None:
        """Report that the kill starts, so that the watchdog heals from now on. Raises FaultError if the watchdog has
        died."""
        if not self.send("firing"):
            raise FaultError(
                f"{self._name} does not fire: its watchdog has died, so nothing would heal the fault if this process "
                "died"
            )

    def beat(self, heal_within_s: float | None = None) -> None:
        """Report that this process is alive, and that the heal begins within `heal_within_s`."""
        self._send_at_times("beat" if heal_within_s is None else f"within {heal_within_s:.3f}")

    def healing(self) -> None:
        """Report that this process is healing. The caller repeats the report while the heal runs."""
        self._send_at_times("healing")

    def close(self) -> bool:
        """Close the pipe, and wait for the watchdog. Return False if the watchdog has not healed the fault yet, and
        continues to heal."""
        self._pipe.close()
        try:
            return self._process.wait(KEEP_TRYING_S + COMMAND_TIMEOUT_S + 2 * VERIFY_S + READY_S) == 0
        except subprocess.TimeoutExpired:
            return False

    @property
    def has_died(self) -> bool:
        """True: the watchdog crashed or was killed."""
        return self._process.poll() not in (None, 0, 1)

    @property
    def outlook(self) -> str:
        """Describe the state of the watchdog for the user."""
        status = self._process.poll()
        if status is None:
            return f"the watchdog continues for up to {LONGEST_S / 3600:g} hours (see {self.log})"
        return f"the watchdog has ended (exit status {status}) and heals nothing (see {self.log})"

    def _send_at_times(self, line: str) -> None:
        """Send a new line at once, and a repeated line at most every `BEAT_S`."""
        now = time.monotonic()
        if now >= self._beat_at or line != self._last_line:
            self._beat_at, self._last_line = now + BEAT_S, line
            self.send(line)

    def _await_ready(self, output: IO[bytes]) -> None:
        timer = threading.Timer(READY_S, self._process.kill)
        timer.start()
        with output:
            answer = output.readline()
        timer.cancel()
        if answer != b"ready\n":
            self._pipe.close()
            status = self._process.wait()
            raise FaultError(
                f"{self._name} does not fire: its watchdog did not start (exit status {status}); "
                f"can {self.log} be written?"
            )
        # A watchdog that heals reads its pipe rarely, and this process must not wait for the watchdog.
        os.set_blocking(self._pipe.fileno(), False)

    def send(self, line: str) -> bool:
        """Send a line to the watchdog. Return False if the watchdog has died."""
        try:
            self._pipe.write(line.encode() + b"\n")  # returns None if the pipe is full
        except BrokenPipeError:
            return False
        return True


LOG_FILE = "watchdog.log"

JOURNAL_FILE = "journal-watchdog.lp"
"""The journal with the watchdog's heals and warnings as events, for later reports."""

LOOK_S = 0.2
"""The seconds between checks that the runner still lives. A child of a dead runner may keep the pipe open."""

OVERDUE_S = 2.0
"""The maximum delay of the runner's heal, and the maximum time between two `healing` lines, in seconds."""

SILENT_S = 20.0
"""The maximum time without a line from the runner during a fault: a kill takes up to 15 s, its proof up to 5 s."""

LONGEST_S = 6 * 3600.0
"""The seconds for which the watchdog tries to heal the fault. A node may be unreachable for hours."""

WATCH_S = 2.0
"""The interval at which the watchdog checks that a healed fault stays healed."""

LOG_WAIT_S = 2.0
"""The maximum time that the watchdog waits for its log to be written before the watchdog exits."""

IGNORED_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)


class WatchdogLog:
    """A log file that a thread writes, so that a full or blocked disk delays no heal."""

    def __init__(self, path: Path) -> None:
        self._lines: queue.SimpleQueue[str | Callable[[], None] | None] = queue.SimpleQueue()
        self._directory = path.absolute().parent
        self._file = path.open("a", encoding="utf-8")
        self._thread = threading.Thread(target=self._write, name="log", daemon=True)
        self._thread.start()

    def note(self, text: str) -> None:
        self._lines.put(f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {text}\n")

    def note_event(self, kind: str, text: str) -> None:
        """Log the text, and record it as an event of the run, so that reports show it."""
        self.note(text)
        at_ns = time.time_ns()
        self._lines.put(lambda: self._write_event(kind, text, at_ns))

    def close(self) -> None:
        """Wait for at most `LOG_WAIT_S` until all lines are written."""
        self._lines.put(None)
        self._thread.join(LOG_WAIT_S)

    def _write(self) -> None:
        while (line := self._lines.get()) is not None:
            if not isinstance(line, str):
                line()
                continue
            with suppress(OSError):
                self._file.write(line)
                self._file.flush()
        with suppress(OSError):
            self._file.close()

    def _write_event(self, kind: str, text: str, at_ns: int) -> None:
        with suppress(SwitchoverError):
            journal = Journal(self._directory / JOURNAL_FILE, {"run": self._directory.name})
            journal.event(kind, text, time_ns=at_ns)
            journal.close()


class Watchdog:
    """The state of the fault, the runner and the nodes."""

    def __init__(self, log: WatchdogLog, parent: int, pipe: int) -> None:
        self._log = log
        self._parent = parent
        self._pipe: int | None = pipe
        self._buffered = b""
        self._undo = Undo("fault")
        self._leftovers = Leftovers()
        self._kill_may_run = False
        self._last_line_at = time.monotonic()
        self._heal_by: float | None = None
        self._look_at = 0.0
        """The time of the next check that the fault stays healed."""
        self._is_claimed = False
        self._is_mended = False
        """The watchdog itself has healed the fault."""
        self.fired = False
        self.healed = False
        """The runner reported that it has healed the fault."""

    def watch(self) -> bool:
        """Follow the runner until the runner ends, or until the watchdog must heal instead of the runner. Return
        False if the fault is not healed."""
        is_well = True
        while self._pipe is not None and not (self.healed and not self._is_claimed and self._undo.down is None):
            self._read(LOOK_S)
            self._leftovers.look()
            why = self._why_it_hangs()
            if why:
                self._log.note(f"the runner hangs: {why}")
                is_well = self._heal()
            elif self._is_in_force_again():
                is_well = self._heal()
        if (self.fired and not self.healed and not self._is_mended) or self._is_in_force_again():
            is_well = self._heal()
        self._release()
        return is_well or self.healed

    def _is_in_force_again(self) -> bool:
        undo = self._undo
        now = time.monotonic()
        if undo.down is None or undo.verify is None or not (self.healed or self._is_mended):
            return False
        if now < self._look_at and self._pipe is not None:
            return False
        self._look_at = now + WATCH_S
        for command, expected in ((undo.verify, False), (undo.down, True)):
            if run_command(command, VERIFY_S, variables=undo.variables, background=True).ok is not expected:
                return False
        text = f"{undo.name} was in force again after its heal: the watchdog heals the fault again"
        self._log.note_event("warning", text)
        self.healed = False
        return True

    def _why_it_hangs(self) -> str | None:
        if not self.fired or self.healed or self._is_mended or self._pipe is None:
            return None
        now = time.monotonic()
        if self._heal_by is not None and now > self._heal_by:
            return f"its heal is overdue by {now - self._heal_by + OVERDUE_S:.1f} s"
        silent_s = now - self._last_line_at
        return f"it was silent for {silent_s:.1f} s" if silent_s > SILENT_S else None

    def _heal(self) -> bool:
        """Heal until the proof succeeds, the runner reports a heal, or the time limit is reached."""
        undo = self._undo
        self._is_mended = True
        if undo.heal is None and undo.verify is None:
            self._log.note(f"{undo.name} has no heal command, so the watchdog does nothing")
            return True
        if self._kill_may_run or undo.down is not None:
            self._leftovers.end()
        while True:
            result = Healer(undo, note=self._note, is_over=self._is_healed_by_the_runner).run(LONGEST_S)
            if self.healed:
                return True
            if not result.is_healed:
                self._log.note(f"{undo.name} is NOT HEALED after {LONGEST_S / 3600:g} hours: heal the fault by hand")
                return False
            if not self._kill_may_run:
                self._log.note_event("heal", f"{undo.name}: healed by the watchdog")
                return True
            # A process that the kill command started on a node may have caused the fault again after the heal.
            self._kill_may_run = False
            time.sleep(RETRY_S)

    def _note(self, key: str, result: CommandResult) -> None:
        self._log.note(f"{key}: {result}")

    def _is_healed_by_the_runner(self) -> bool:
        self._read(0.0)
        return self.healed

    def _release(self) -> None:
        """Release the nodes, if they are claimed."""
        if self._is_claimed and self._undo.release is not None:
            self._is_claimed = False
            self._log.note(f"release: {run_command(self._undo.release, variables=self._undo.variables)}")

    def _read(self, wait_s: float) -> None:
        if self._pipe is None:
            time.sleep(wait_s)
            return
        ready, _, _ = select.select([self._pipe], [], [], wait_s)
        if ready:
            piece = os.read(self._pipe, 65536)
            if not piece:
                self._log.note("the runner is dead: its pipe has closed")
                self._pipe = None
                return
            *lines, self._buffered = (self._buffered + piece).split(b"\n")
            for line in lines:
                self._follow(line)
        elif os.getppid() != self._parent:
            self._log.note(f"the runner is dead: process {self._parent} is no longer the parent of the watchdog")
            self._pipe = None

    def _follow(self, line: bytes) -> None:
        self._last_line_at = time.monotonic()
        if line.startswith(b"{"):
            self._undo = Undo(**json.loads(line))
            return
        word, _, value = line.decode("ascii").partition(" ")
        match word:
            case "firing":
                self.fired = self._kill_may_run = True
                self._log.note(f"{self._undo.name} is being fired")
            case "group":
                self._leftovers.belong_to(int(value))
                # The runner was stopped while the watchdog healed, and fires only now.
                self._kill_may_run, self._is_mended = True, False
            case "fired":
                self._kill_may_run = False
            case "within":
                self._heal_by = self._last_line_at + float(value) + OVERDUE_S
            case "healing":
                self._heal_by = self._last_line_at + OVERDUE_S
            case "healed":
                self.healed = True
                self._log.note(f"{self._undo.name}: the runner has healed the fault")
            case "claimed":
                self._is_claimed = True
            case "released":
                self._is_claimed = False


def main(directory: Path, parent: int) -> int:
    """Print `ready`, and watch. Return 1 if a fault is not healed, 2 after an internal error, otherwise 0."""
    for number in IGNORED_SIGNALS:
        # A handler instead of SIG_IGN, because child processes would inherit SIG_IGN.
        signal.signal(number, lambda _number, _frame: None)
    log = WatchdogLog(directory / LOG_FILE)
    watchdog = Watchdog(log, parent, sys.stdin.fileno())
    os.write(sys.stdout.fileno(), b"ready\n")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, sys.stdout.fileno())
    try:
        status = 0 if watchdog.watch() else 1
    except Exception:
        log.note(f"the watchdog fails: {traceback.format_exc()}")
        status = 2
    log.close()
    return status


if __name__ == "__main__":
    # Skip the clean-up of the interpreter, which would wait for a log thread on a blocked disk.
    os._exit(main(Path(sys.argv[1]), int(sys.argv[2])))
