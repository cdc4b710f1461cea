"""Read the lines of a command that runs without end, such as `ip -ts monitor address`. If the command ends, it is
restarted."""

import os
import selectors
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import IO

from switchover.model.clock import Clock
from switchover.process.command import KEPT_BYTES, last_line, not_started, start_process
from switchover.process.groups import COMMANDS, end_group
from switchover.target.telemetry_sources import Command

LINE_LIMIT = 65536
"""The maximum length of a line in bytes. A longer line is dropped, to limit memory."""


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line without its newline, and the time of the read on the run's clock in ns."""

    text: str
    arrived_ns: int


class Turn(Enum):
    """The kinds of events of a source that are not lines."""

    OPENED = "opened"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Mark:
    """The source was opened, or it was closed for `reason`."""

    turn: Turn
    at_ns: int
    reason: str = ""


class LineSplitter:
    def __init__(self) -> None:
        self._rest = b""
        self._dropping = False

    def feed(self, piece: bytes, arrived_ns: int) -> list[SourceLine]:
        """Return the lines that `piece` completes. If a piece completes several lines, their times are 1 µs apart, in
        the order of the lines."""
        *complete, self._rest = (self._rest + piece).split(b"\n")
        if complete and self._dropping:
            complete, self._dropping = complete[1:], False
        if len(self._rest) > LINE_LIMIT:
            self._rest, self._dropping = b"", True
        lines = [line for line in complete if len(line) <= LINE_LIMIT]
        return [SourceLine(raw.decode("utf-8", "replace"), arrived_ns + 1000 * n) for n, raw in enumerate(lines)]


BACKOFF_S = (0.2, 0.5, 1.0, 2.0, 5.0)
"""The waiting time before each restart, in seconds. After the command has run for `STEADY_S`, the first waiting time
applies again."""
STEADY_S = 10.0
_CHUNK = 65536


class Stream:
    """A reader of the lines of a command. Only one thread may use the reader. `close()` kills the process group of
    the command."""

    def __init__(self, source: Command, clock: Clock) -> None:
        self._source = source
        self._clock = clock
        self._process: subprocess.Popen[bytes] | None = None
        self._splitter = LineSplitter()
        self._complaints = bytearray()
        self._started = 0.0
        self._failures = 0
        self._next_start = 0.0

    def poll(self, timeout_s: float) -> list[SourceLine | Mark]:
        """Return new lines and marks, after at most `timeout_s`. Never raises: an error is a CLOSED mark."""
        process = self._process
        if process is None:
            wait = self._next_start - time.monotonic()
            if wait > 0:
                time.sleep(min(wait, timeout_s))
                return []
            return [self._start()]
        return self._read(process, timeout_s)

    def close(self) -> None:
        if self._process is not None:
            self._end(self._process)

    def _start(self) -> Mark:
        self._started = time.monotonic()
        self._splitter = LineSplitter()
        self._complaints.clear()
        try:
            arguments = with_terminal(self._source.arguments)
            self._process = start_process(arguments, subprocess.DEVNULL, self._source.variables)
        except (OSError, ValueError) as error:
            self._delay_next_start()
            return Mark(Turn.CLOSED, self._clock.now_ns(), str(not_started(self._source.arguments, error)))
        COMMANDS.add(self._process.pid)
        return Mark(Turn.OPENED, self._clock.now_ns())

    def _read(self, process: subprocess.Popen[bytes], timeout_s: float) -> list[SourceLine | Mark]:
        assert process.stdout is not None and process.stderr is not None
        events: list[SourceLine | Mark] = []
        ended_ns: int | None = None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            if not process.stderr.closed:
                selector.register(process.stderr, selectors.EVENT_READ)
            for key, _ in selector.select(timeout_s):
                arrived_ns = self._clock.now_ns()
                piece = os.read(key.fd, _CHUNK)
                if key.fileobj is process.stderr:
                    self._complain(process.stderr, piece)
                elif piece:
                    events += self._splitter.feed(piece, arrived_ns)
                else:
                    ended_ns = arrived_ns
        if ended_ns is not None:
            events.append(Mark(Turn.CLOSED, ended_ns, self._end(process)))
        return events

    def _complain(self, stderr: IO[bytes], piece: bytes) -> None:
        self._complaints += piece
        del self._complaints[:-KEPT_BYTES]
        if not piece:
            stderr.close()

    def _end(self, process: subprocess.Popen[bytes]) -> str:
        reaped = end_group(process)
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        if not process.stderr.closed:
            _drain(process.stderr.fileno(), self._complaints)
            process.stderr.close()
        COMMANDS.remove(process.pid)
        self._process = None
        self._delay_next_start()
        if not reaped:
            return f"`{self._source}` closed its output and cannot be ended: it may still run"
        complaint = last_line(self._complaints)
        return f"`{self._source}` ended" + (f": {complaint}" if complaint else f" with status {process.returncode}")

    def _delay_next_start(self) -> None:
        if time.monotonic() - self._started >= STEADY_S:
            self._failures = 0
        self._next_start = time.monotonic() + BACKOFF_S[min(self._failures, len(BACKOFF_S) - 1)]
        self._failures += 1


def with_terminal(arguments: Sequence[str]) -> Sequence[str]:
    """Return the arguments, with an option that requests a remote terminal from ssh. With this terminal, the node
    ends the command when the connection ends.

    Without a terminal, the command continues until it prints the next line.
    """
    if not arguments or arguments[0].rpartition("/")[2] != "ssh":
        return arguments
    return (arguments[0], "-tt", *arguments[1:])


def _drain(descriptor: int, complaints: bytearray) -> None:
    """Read the rest of stderr, without waiting."""
    os.set_blocking(descriptor, False)
    try:
        complaints += os.read(descriptor, KEPT_BYTES)
    except OSError:
        return
