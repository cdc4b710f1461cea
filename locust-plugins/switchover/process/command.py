"""The command runner: an argument list, run to its end, bounded in time and in output, never through a shell.

Each command leads a process group. So Ctrl-C at the terminal does not end a kill or a heal half-way, and all
children of a command can be ended.
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
"""Time limit of a fault's command, ssh's connection included."""

KEPT_BYTES = 4096
"""Bytes at the end of a command's output that a message keeps."""

_CHUNK = 65536
_LAST_READS = 16
"""Reads after the command's end: more than a pipe holds, and a bound if a child of it writes without end."""

_POLL_S = 0.005
"""Interval at which a running command is polled."""

_BACKGROUND = 10
"""Nice value: a tenth of a normal process's share."""

VARIABLES = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "SSH_AUTH_SOCK")
"""Environment variables of every command, beside those that its target file names. Others may hold secrets."""

SSH_FAILED = 255
"""The exit status of ssh(1) for its own errors. Remote commands seldom end so."""

_CANNOT_RUN = "cannot run"

_GATE = 'read -r go && exec "$@" </dev/null'
"""A shell line that reads a line, then becomes the command. It exits at the end of its input."""


class Deadline:
    """A point on the monotonic clock; `remaining_s` is at least a millisecond, so that it may be a timeout."""

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
        """Return the seconds that are left; raise TimeoutError if none are."""
        if self.passed:
            raise TimeoutError
        return self.remaining_s


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The end of a command. `status` None: it did not start, or was killed; `problem` has the reason."""

    program: str
    """The program without its arguments, which may hold a token."""
    status: int | None
    last_line: str
    """The last printable line on stderr, otherwise on stdout. Incomplete output is empty."""
    problem: str | None = None

    @property
    def was_started(self) -> bool:
        return self.problem is None or not self.problem.startswith(_CANNOT_RUN)

    @property
    def ok(self) -> bool:
        return self.status == 0

    @property
    def has_answered(self) -> bool:
        """Return whether it ran to its end on the target: 255 means that ssh did not reach it."""
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
    """Run a command to its end, or until `timeout_s`, `limit_bytes` of output or `stop_early`; then kill its group.

    `request` goes to its stdin, and each piece of its output to `sink`. `variables` names environment variables for
    it beside `VARIABLES`. With `background` it yields the processor. A child that it leaves is not waited for; with
    `end_children` it is killed. With `is_guarded` the command ends with this program, even after SIGKILL.
    """
    try:
        process = start_process(command, subprocess.DEVNULL if request is None else subprocess.PIPE, variables)
    except (OSError, ValueError) as error:
        return not_started(command, error)
    if background:
        with contextlib.suppress(PermissionError):  # A program with setuid or capabilities is not ours to slow down.
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
    """Run a command after `prepare` was called with its process group, before the command does anything.

    So at no moment could it act while only this process, which may be killed, could end it. `stop_early` is polled
    while it runs.
    """
    try:
        _require_program(command)
        process = start_process(("/bin/sh", "-c", _GATE, "sh", *command), subprocess.PIPE, variables)
    except (OSError, ValueError) as error:
        return not_started(command, error)
    assert process.stdin is not None
    with process.stdin as gate:
        prepare(process.pid)
        with contextlib.suppress(BrokenPipeError):  # It was ended already, as its status will tell.
            gate.write(b"\n")
    exchange = _Exchange(process, b"", None, None)
    return _finish(public_command(command), exchange, Deadline(COMMAND_TIMEOUT_S), stop_early, end_children=False)


def start_process(command: Sequence[str], stdin: int, variables: Sequence[str] = ()) -> "subprocess.Popen[bytes]":
    """Start a process in a separate session, and so in a separate group. Raises OSError or ValueError."""
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
    """Return the result for a program that is missing or cannot be run; None for any other."""
    try:
        _require_program(command)
    except (OSError, ValueError) as error:
        return not_started(command, error)
    return None


def _require_program(command: Sequence[str]) -> None:
    """Raise the system's error for a program that cannot run; after the gate only a shell would report it."""
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
        """Run until the command has ended and its output is read. Returns the problem, or None."""
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
        """Read and write once, after waiting at most `wait_s`. Returns False if there is too much output."""
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
            # It ended without reading; its exit status and stderr say more than the broken pipe.
            self._request = memoryview(b"")
        if not self._request:
            self._selector.unregister(stdin)
            stdin.close()


def _keep_tail(tail: bytearray, piece: bytes) -> None:
    tail += piece
    del tail[:-KEPT_BYTES]
