"""Run a command from an argument list, without a shell, with limits on time and output.

Each command leads a process group. Ctrl-C in the terminal does not interrupt the command, and the command can be
killed with all its children.
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

KEPT_BYTES = 4096

_CHUNK = 65536
_LAST_READS = 16
"""The maximum number of reads after the command has ended. 16 reads empty a full pipe."""

_POLL_S = 0.005

_BACKGROUND = 10
"""The nice value of background commands, for about a tenth of the CPU share of a normal process."""

VARIABLES = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "SSH_AUTH_SOCK")
"""The environment variables of every command. Other variables are withheld, as they may contain secrets."""

SSH_FAILED = 255

_CANNOT_RUN = "cannot run"

_GATE = 'read -r go && exec "$@" </dev/null'
"""A shell command that waits for a line on stdin, and then executes the real command."""


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
    """The last line of stderr, otherwise of stdout, in printable characters. If the command was stopped, an
    incomplete answer on stdout is ignored."""
    problem: str | None = None

    @property
    def was_started(self) -> bool:
        return self.problem is None or not self.problem.startswith(_CANNOT_RUN)

    @property
    def ok(self) -> bool:
        return self.status == 0

    @property
    def has_answered(self) -> bool:
        """Return whether the command ran to its end, and ssh reached the node."""
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
    """Run a command. Kill it after `timeout_s`, if its output exceeds `limit_bytes`, or if `stop_early` returns True.

    `request`: the command's stdin. `sink`: receives the output. `variables`: more environment variables.
    `background`: run with low priority. `end_children`: kill children that still run after the command has ended.
    `is_guarded`: kill the command when this program ends.
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

    `prepare` registers the process group before the command starts, in case this process is killed.
    """
    problem = find_program_problem(command)  # later, only the shell would report the missing program
    if problem is not None:
        return problem
    try:
        process = start_process(("/bin/sh", "-c", _GATE, "sh", *command), subprocess.PIPE, variables)
    except (OSError, ValueError) as error:
        return not_started(command, error)
    assert process.stdin is not None
    with process.stdin as gate:
        prepare(process.pid)
        with contextlib.suppress(BrokenPipeError):  # already killed, as the status shows
            gate.write(b"\n")
    exchange = _Exchange(process, b"", None, None)
    return _finish(public_command(command), exchange, Deadline(COMMAND_TIMEOUT_S), stop_early, end_children=False)


def start_process(command: Sequence[str], stdin: int, variables: Sequence[str] = ()) -> "subprocess.Popen[bytes]":
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
    if not command:
        return not_started(command, ValueError("no program is named"))
    if shutil.which(command[0]) is None:
        number = errno.EACCES if "/" in command[0] and Path(command[0]).exists() else errno.ENOENT
        return not_started(command, OSError(number, os.strerror(number)))
    return None


def not_started(command: Sequence[str], error: OSError | ValueError) -> CommandResult:
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
        problem = f"{problem}, and the process cannot be killed: it may still run"
    complaint = exchange.last_line(is_cut_off=problem is not None)
    return CommandResult(program, None if problem else process.returncode, complaint, problem)


class _Exchange:
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
        assert process.stdout is not None and process.stderr is not None
        for output in (process.stdout, process.stderr):
            os.set_blocking(output.fileno(), False)
            self._selector.register(output, selectors.EVENT_READ)
        stdin = process.stdin
        if stdin is not None and not stdin.closed:
            os.set_blocking(stdin.fileno(), False)
            self._selector.register(stdin, selectors.EVENT_WRITE)

    def last_line(self, *, is_cut_off: bool) -> str:
        is_half_an_answer = is_cut_off and self._sink is not None
        return last_line(self._stderr_tail) or ("" if is_half_an_answer else last_line(self._stdout_tail))

    def run(self, deadline: Deadline, stop_early: Callable[[], bool] | None) -> str | None:
        """Transfer data until the command and its output have ended. Returns an error message or None."""
        too_much = f"printed more than {self._limit_bytes} bytes"
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
                return too_much
        for _ in range(_LAST_READS):
            if self._selector.get_map() and not self._exchange(0):
                return too_much
        return None

    def close(self) -> None:
        self._selector.close()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()

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
                keep_tail(self._stderr_tail, piece)
            else:
                keep_tail(self._stdout_tail, piece)
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


def keep_tail(tail: bytearray, piece: bytes) -> None:
    """Append a piece of output, and keep the last `KEPT_BYTES` bytes."""
    tail += piece
    del tail[:-KEPT_BYTES]
