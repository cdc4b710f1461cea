"""Run a command from an argument list, without a shell, with limits on time and output.

Each command leads a process group. So Ctrl-C in the terminal does not interrupt a kill command or a heal command, and
a command can be killed with all its children.
"""

import contextlib
import errno
import os
import selectors
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from switchover.model.errors import TelemetryError
from switchover.model.redaction import public_command
from switchover.process.groups import COMMANDS, end_group

COMMAND_TIMEOUT_S = 15.0
"""The default time limit of a command, including the ssh connection."""

KEPT_BYTES = 4096
"""The number of bytes at the end of a command's output that are stored for messages."""

_CHUNK = 65536
_LAST_READS = 16
"""The maximum number of reads after the command has ended.

16 reads empty a full pipe. The limit ends the loop if a child process never stops writing.
"""

_POLL_S = 0.005
"""The interval, in seconds, at which a running command is polled."""

_BACKGROUND = 10
"""The nice value of background commands. It gives about a tenth of the CPU share of a normal process."""

VARIABLES = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "SSH_AUTH_SOCK")
"""The environment variables of every command. A target file can name additional variables. All other variables are
withheld, because they may contain secrets."""

SSH_FAILED = 255
"""The exit status of ssh(1) for its own errors. Remote commands rarely return this status."""

_CANNOT_RUN = "cannot run"

_GATE = 'read -r go && exec "$@" </dev/null'
"""A shell command that waits for a line on stdin and then executes the real command. If stdin ends, the shell
exits."""


class Deadline:
    """A time on the monotonic clock. `remaining_s` is at least 1 ms, so that it is a valid timeout."""

    __slots__ = ("_end", "seconds")

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def passed(self) -> bool:
        return time.monotonic() >= self._end

    @property
    def remaining_s(self) -> float:
        return max(self._end - time.monotonic(), 0.001)

    def check(self) -> float:
        """Return the remaining seconds. Raises TimeoutError after the deadline."""
        if self.passed:
            raise TimeoutError
        return self.remaining_s


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The result of a command. `status` None: the command did not start or was killed; `problem` has the reason."""

    program: str
    """The program without its arguments, because arguments may contain a token."""
    status: int | None
    last_line: str
    """The last line of stderr, or of stdout if stderr is empty, in printable characters. If the command was cut off
    and its stdout went to `sink`, stdout is ignored."""
    problem: str | None = None

    @property
    def was_started(self) -> bool:
        return self.problem is None or not self.problem.startswith(_CANNOT_RUN)

    @property
    def ok(self) -> bool:
        return self.status == 0

    @property
    def has_answered(self) -> bool:
        """Return whether the command ran to its end. Status 255 of ssh means that ssh did not reach the node."""
        is_ssh = self.program.partition(" ")[0].rpartition("/")[2] == "ssh"
        return self.status is not None and not (is_ssh and self.status == SSH_FAILED)

    def __str__(self) -> str:
        status = self.status or 0
        ending = self.problem or (f"exit status {status}" if status >= 0 else f"signal {-status}")
        return f"`{self.program}`: {ending}" + (f" ({self.last_line})" if self.last_line else "")

    def check(self) -> None:
        if not self.ok:
            raise TelemetryError(str(self))


def run_command(
    command: Sequence[str],
    timeout_s: float = COMMAND_TIMEOUT_S,
    *,
    request: bytes | None = None,
    sink: Callable[[bytes], object] | None = None,
    limit_bytes: int | None = None,
    variables: Sequence[str] = (),
    stop_early: Callable[[], bool] | None = None,
    is_guarded: bool = False,
    background: bool = False,
    end_children: bool = False,
) -> CommandResult:
    """Run a command. Kill its process group after `timeout_s`, if it prints more than `limit_bytes`, or if
    `stop_early` returns True.

    `request`: the input of the command. `sink`: receives its output. `variables`: environment variables in addition
    to `VARIABLES`. `background`: run with low priority. `end_children`: kill children that still run after the
    command. `is_guarded`: kill the command when this program ends, even by SIGKILL.
    """
    try:
        process = start_process(command, subprocess.DEVNULL if request is None else subprocess.PIPE, variables)
    except (OSError, ValueError) as error:
        return not_started(command, error)
    if background:
        with contextlib.suppress(PermissionError):  # not allowed for a setuid program
            os.setpriority(os.PRIO_PGRP, process.pid, _BACKGROUND)
    if is_guarded:
        COMMANDS.add(process.pid)
    try:
        exchange = _Exchange(process, request or b"", sink, limit_bytes)
        return _finish(public_command(command), exchange, Deadline(timeout_s), stop_early, end_children)
    finally:
        if is_guarded:
            COMMANDS.remove(process.pid)


def run_prepared_command(
    command: Sequence[str],
    prepare: Callable[[int], None],
    variables: Sequence[str] = (),
    *,
    stop_early: Callable[[], bool] | None = None,
) -> CommandResult:
    """Create a process group, call `prepare` with its number, then run the command in this group.

    So `prepare` can register the process group before the command starts. If this process is killed, the group is
    already registered. `stop_early` is polled while the command runs.
    """
    try:
        _require_program(command)
        process = start_process(("/bin/sh", "-c", _GATE, "sh", *command), subprocess.PIPE, variables)
    except (OSError, ValueError) as error:
        return not_started(command, error)
    assert process.stdin is not None
    with process.stdin as gate:
        prepare(process.pid)
        with contextlib.suppress(BrokenPipeError):  # already killed, as its status shows
            gate.write(b"\n")
    exchange = _Exchange(process, b"", None, None)
    return _finish(public_command(command), exchange, Deadline(COMMAND_TIMEOUT_S), stop_early, end_children=False)


def start_process(command: Sequence[str], stdin: int, variables: Sequence[str] = ()) -> "subprocess.Popen[bytes]":
    """Start a process in a new session and process group. Raises OSError or ValueError."""
    return subprocess.Popen(
        command,
        bufsize=0,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={name: os.environ[name] for name in (*VARIABLES, *variables) if name in os.environ},
        start_new_session=True,
    )


def last_line(output: bytes | bytearray) -> str:
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return "".join(c if c.isprintable() else " " for c in lines[-1])[-300:].strip() if lines else ""


def find_program_problem(command: Sequence[str]) -> CommandResult | None:
    """Return a failed result if the program is missing or cannot run. Otherwise, return None."""
    try:
        _require_program(command)
    except (OSError, ValueError) as error:
        return not_started(command, error)
    return None


def _require_program(command: Sequence[str]) -> None:
    """Raise the system's error if the program cannot run. This is checked before the gate, because later only the
    shell would report the error."""
    if not command:
        raise ValueError("no program is named")
    if shutil.which(command[0]) is None:
        number = errno.EACCES if "/" in command[0] and Path(command[0]).exists() else errno.ENOENT
        raise OSError(number, os.strerror(number))


def not_started(command: Sequence[str], error: OSError | ValueError) -> CommandResult:
    """Return the result of a command that could not be started."""
    if isinstance(error, FileNotFoundError) and "/" not in command[0]:
        reason = "no such program is installed here"
    else:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return CommandResult(public_command(command), None, "", f"{_CANNOT_RUN}: {reason}")


def _finish(
    program: str,
    exchange: "_Exchange",
    deadline: Deadline,
    stop_early: Callable[[], bool] | None,
    end_children: bool,
) -> CommandResult:
    process = exchange.process
    problem = None
    try:
        problem = exchange.run(deadline, stop_early)
    finally:
        must_end = process.poll() is None
        is_gone = not (must_end or end_children) or end_group(process)
        exchange.close()
    if must_end and not is_gone:
        problem = f"{problem}, and it cannot be ended: it may still run"
    complaint = exchange.last_line(is_cut_off=problem is not None)
    return CommandResult(program, None if problem else process.returncode, complaint, problem)


class _Exchange:
    """Input and output of a running command."""

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        request: bytes,
        sink: Callable[[bytes], object] | None,
        limit_bytes: int | None,
    ) -> None:
        self.process = process
        self._request = memoryview(request)
        self._sink = sink
        self._limit_bytes = limit_bytes
        self._received = 0
        self._stdout_tail = bytearray()
        self._stderr_tail = bytearray()
        self._selector = selectors.DefaultSelector()

    def last_line(self, *, is_cut_off: bool) -> str:
        is_half_an_answer = is_cut_off and self._sink is not None
        return last_line(self._stderr_tail) or ("" if is_half_an_answer else last_line(self._stdout_tail))

    def run(self, deadline: Deadline, stop_early: Callable[[], bool] | None) -> str | None:
        """Transfer data until the command has ended and its output is read. Returns an error message or None."""
        self._register()
        while self.process.poll() is None:
            if deadline.passed:
                return f"no end within {deadline.seconds:g} s"
            if stop_early is not None and stop_early():
                return "stopped early"
            wait_s = min(_POLL_S, deadline.remaining_s)
            if not self._selector.get_map():
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.process.wait(wait_s)
            elif not self._exchange(wait_s):
                return f"printed more than {self._limit_bytes:,} bytes"
        for _ in range(_LAST_READS):
            if self._selector.get_map() and not self._exchange(0):
                return f"printed more than {self._limit_bytes:,} bytes"
        return None

    def close(self) -> None:
        self._selector.close()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()

    def _register(self) -> None:
        assert self.process.stdout is not None and self.process.stderr is not None
        for output in (self.process.stdout, self.process.stderr):
            os.set_blocking(output.fileno(), False)
            self._selector.register(output, selectors.EVENT_READ)
        stdin = self.process.stdin
        if stdin is not None and not stdin.closed:
            os.set_blocking(stdin.fileno(), False)
            self._selector.register(stdin, selectors.EVENT_WRITE)

    def _exchange(self, wait_s: float) -> bool:
        """Read and write once, after at most `wait_s`. Returns False if the output exceeds `limit_bytes`."""
        for key, _ in self._selector.select(wait_s):
            if key.fileobj is self.process.stdin:
                self._write()
                continue
            try:
                piece = os.read(key.fd, _CHUNK)
            except BlockingIOError:
                continue
            if not piece:
                self._selector.unregister(key.fileobj)
            elif key.fileobj is self.process.stderr:
                _keep_tail(self._stderr_tail, piece)
            else:
                _keep_tail(self._stdout_tail, piece)
                self._received += len(piece)
                if self._limit_bytes is not None and self._received > self._limit_bytes:
                    return False
                if self._sink is not None:
                    self._sink(piece)
        return True

    def _write(self) -> None:
        stdin = self.process.stdin
        assert stdin is not None
        try:
            self._request = self._request[os.write(stdin.fileno(), self._request) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            # The command ended without reading its input. Its exit status and stderr explain the end.
            self._request = memoryview(b"")
        if not self._request:
            self._selector.unregister(stdin)
            stdin.close()


def _keep_tail(tail: bytearray, piece: bytes) -> None:
    tail += piece
    del tail[:-KEPT_BYTES]
