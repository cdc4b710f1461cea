"""Runs the commands of faults: bounded in time and in what is kept of their output, never as a text for a shell."""

import contextlib
import errno
import os
import select
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from switchover.model.redaction import public_command
from switchover.process.group import end_group

COMMAND_TIMEOUT_S = 15.0
"""How long a command of a fault may take, ssh's connection included."""

KEPT_BYTES = 4096
"""The end of a command's output that is kept for a message."""

_LAST_READS = 16
"""What it still wrote fits a pipe of 64 KiB; whoever keeps on writing in the background is not listened to."""

_CANNOT_RUN = "cannot be run"

_GATE = 'read -r go && exec "$@" </dev/null'
"""Becomes the command once a line has come; at the end of its input, as when its parent is killed, it ends."""

_POLL_S = 0.005
"""How often a running command is looked at: the firing time is an interval, and this widens it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended. `status` None: it did not start, or was ended at its time-out; `problem` says which."""

    program: str
    """What was run, without its arguments: they may hold a token."""
    status: int | None
    output: str
    problem: str | None = None

    @property
    def not_started(self) -> bool:
        return self.problem is not None and self.problem.startswith(_CANNOT_RUN)

    @property
    def ok(self) -> bool:
        return self.status == 0

    def __str__(self) -> str:
        """What came back, for a message."""
        ending = self.problem or f"exit status {self.status}"
        return f"`{self.program}`: {ending}" + (f" ({self.output})" if self.output else "")


def fill(command: Sequence[str], names: Mapping[str, str]) -> tuple[str, ...]:
    """`{master}` and the like replaced; other braces stand as they are."""
    filled = []
    for argument in command:
        for name, value in names.items():
            argument = argument.replace(f"{{{name}}}", value)
        filled.append(argument)
    return tuple(filled)


def run(
    command: Sequence[str],
    timeout_s: float = COMMAND_TIMEOUT_S,
    *,
    given_up: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Run a command to its end, or until `timeout_s` or `given_up`; then its process group is killed.

    It has a process group of its own, so that Ctrl-C at the terminal does not end a kill or a heal half-way.
    What it leaves running in the background with its output open is not waited for.
    """
    try:
        process = _start(command, subprocess.DEVNULL)
    except (OSError, ValueError) as error:
        return _not_started(command, error)
    return _outcome(public_command(command), process, timeout_s, given_up)


def run_prepared(command: Sequence[str], prepare: Callable[[int], None]) -> Outcome:
    """The same, but `prepare` is told the process group before anything of the command happens.

    So there is no moment at which it could strike and nobody but this process, which may be killed, could end it.
    """
    try:
        _require(command)
        process = _start(("/bin/sh", "-c", _GATE, "sh", *command), subprocess.PIPE)
    except (OSError, ValueError) as error:
        return _not_started(command, error)
    assert process.stdin is not None
    with process.stdin as gate:
        prepare(process.pid)
        with contextlib.suppress(BrokenPipeError):  # then somebody has ended it, as its status will tell
            gate.write(b"\n")
    return _outcome(public_command(command), process, COMMAND_TIMEOUT_S, lambda: False)


def _start(command: Sequence[str], stdin: int) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0, start_new_session=True
    )


def _require(command: Sequence[str]) -> None:
    """What the operating system would say of a program that cannot be run; behind the gate a shell would say it."""
    if not command:
        raise ValueError("no program is named")
    if shutil.which(command[0]) is None:
        number = errno.EACCES if "/" in command[0] and Path(command[0]).exists() else errno.ENOENT
        raise OSError(number, os.strerror(number))


def _not_started(command: Sequence[str], error: OSError | ValueError) -> Outcome:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return Outcome(public_command(command), None, "", f"{_CANNOT_RUN}: {reason}")


def _outcome(
    program: str, process: "subprocess.Popen[bytes]", timeout_s: float, given_up: Callable[[], bool]
) -> Outcome:
    assert process.stdout is not None
    tail = bytearray()
    deadline = time.monotonic() + timeout_s
    problem = None
    with process.stdout as output:
        try:
            while process.poll() is None:
                if time.monotonic() > deadline:
                    problem = f"no end within {timeout_s:g} s"
                elif given_up():
                    problem = "given up"
                if problem:
                    break
                _read_tail(output.fileno(), tail, _POLL_S)
            for _ in range(_LAST_READS):
                if not _read_tail(output.fileno(), tail, 0):
                    break
        finally:
            if process.poll() is None and not end_group(process):
                problem = f"{problem}, and it cannot be ended: it may still run"
    return Outcome(program, None if problem else process.returncode, _printable(tail), problem)


def _read_tail(descriptor: int, tail: bytearray, wait_s: float) -> bool:
    """Take what is there, waiting at most `wait_s` for it. False at the end of the output, or when none is there."""
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    if not poller.poll(wait_s * 1000):
        return False
    piece = os.read(descriptor, 65536)
    tail += piece
    del tail[:-KEPT_BYTES]
    if not piece:
        time.sleep(wait_s)
    return bool(piece)


def _printable(tail: bytearray) -> str:
    """The last line that says anything, without control characters."""
    lines = tail.decode("utf-8", "replace").strip().splitlines()
    return "".join(c if c.isprintable() else " " for c in lines[-1])[-300:].strip() if lines else ""
