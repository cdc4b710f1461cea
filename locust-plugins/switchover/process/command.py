"""One command, run to its end: bounded in time and size, its whole process group killed when it exceeds either."""

import os
import selectors
import subprocess
import time
from collections.abc import Callable, Sequence

from switchover.model.errors import TelemetryError
from switchover.model.redaction import public_command
from switchover.process.group import end_group
from switchover.process.orphan_guard import Leash


class Deadline:
    """A point on the monotonic clock; `remaining_s` never falls below a millisecond, so that it may be a timeout."""

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
        """The seconds that are left; TimeoutError when there are none."""
        if self.passed:
            raise TimeoutError
        return self.remaining_s


_CHUNK = 65536
_ERROR_BYTES = 4096
"""How much of a command's complaints is kept: its first line is what a message quotes."""

_BACKGROUND = 10
"""Nice value: a tenth of a normal process's share."""


def start_process(arguments: Sequence[str], *, stdin: int) -> subprocess.Popen[bytes]:
    """A process in a session, hence a group, of its own; what keeps it from starting is one line."""
    try:
        return subprocess.Popen(
            arguments,
            bufsize=0,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        raise TelemetryError(f"cannot run {arguments[0]!r}: no such program is installed here") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise TelemetryError(f"cannot run {arguments[0]!r}: {reason}") from error


def last_complaint(stderr: bytes) -> str:
    """The last line that a command wrote to stderr, in printable characters."""
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    return "".join(c if c.isprintable() else " " for c in lines[-1])[:200] if lines else ""


def run_command(
    arguments: Sequence[str],
    request: bytes | None,
    sink: Callable[[bytes], None],
    *,
    timeout_s: float,
    limit_bytes: int,
    leash: Leash | None = None,
    background: bool = False,
) -> None:
    """Run a command, give it `request` on stdin, hand each piece of its output to `sink`.

    With `background` it yields the processor to whatever else wants it, probes above all.

    Raises TelemetryError when it cannot start, takes longer than `timeout_s` in total, prints more than
    `limit_bytes`, or exits with anything but 0.
    """
    deadline = Deadline(timeout_s)
    name = public_command(arguments)
    process = start_process(arguments, stdin=subprocess.DEVNULL if request is None else subprocess.PIPE)
    if background:
        os.setpriority(os.PRIO_PGRP, process.pid, _BACKGROUND)
    if leash is not None:
        leash.hold(process.pid)
    complaints = bytearray()
    problem, status = "", 0
    try:
        _exchange(process, request, sink, complaints, deadline, limit_bytes)
        status = process.wait(deadline.check())
    except (TimeoutError, subprocess.TimeoutExpired):
        problem = f"gave no complete answer within {timeout_s:g} s"
    except _TooMuchError:
        problem = f"printed more than {limit_bytes:,} bytes"
    finally:
        ended = end_group(process)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
        if leash is not None:
            leash.release(process.pid)
    if problem:
        fate = "ended it" if ended else "it cannot be ended, and may still run"
        raise TelemetryError(f"`{name}` {problem}: {fate}")
    if status != 0:
        reason = f"exit status {status}" if status > 0 else f"signal {-status}"
        complaint = last_complaint(bytes(complaints))
        raise TelemetryError(f"`{name}` failed with {reason}" + (f": {complaint}" if complaint else ""))


class _TooMuchError(Exception):
    """More output than was allowed."""


def _exchange(
    process: subprocess.Popen[bytes],
    request: bytes | None,
    sink: Callable[[bytes], None],
    complaints: bytearray,
    deadline: Deadline,
    limit_bytes: int,
) -> None:
    """Write the request and read both outputs to their ends, whichever is ready first."""
    assert process.stdout is not None and process.stderr is not None
    pending = memoryview(request or b"")
    received = 0
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        selector.register(process.stderr, selectors.EVENT_READ)
        if process.stdin is not None:
            os.set_blocking(process.stdin.fileno(), False)
            selector.register(process.stdin, selectors.EVENT_WRITE)
        while process.stdout in {key.fileobj for key in selector.get_map().values()}:
            for key, _ in selector.select(deadline.check()):
                if key.fileobj is process.stdin:
                    pending = _write(process.stdin.fileno(), pending)
                    if not pending:
                        selector.unregister(process.stdin)
                        process.stdin.close()
                    continue
                piece = os.read(key.fd, _CHUNK)
                if not piece:
                    selector.unregister(key.fileobj)
                elif key.fileobj is process.stderr:
                    complaints += piece
                    del complaints[:-_ERROR_BYTES]
                else:
                    received += len(piece)
                    if received > limit_bytes:
                        raise _TooMuchError
                    sink(piece)
        drain(process.stderr.fileno(), complaints)


def _write(descriptor: int, pending: memoryview) -> memoryview:
    try:
        return pending[os.write(descriptor, pending) :]
    except BlockingIOError:
        return pending
    except BrokenPipeError:
        # It ended without reading; its exit status and stderr say more than the broken pipe.
        return memoryview(b"")


def drain(descriptor: int, complaints: bytearray) -> None:
    """What stands on stderr at the end, without waiting for more."""
    os.set_blocking(descriptor, False)
    try:
        complaints += os.read(descriptor, _ERROR_BYTES)
    except OSError:
        return
