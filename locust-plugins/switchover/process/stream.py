"""Read the lines of a command that runs without end, such as `ip -ts monitor address`, and restart the command when
it ends."""

import contextlib
import os
import selectors
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass

from switchover.model.clock import Clock
from switchover.process.command import KEPT_BYTES, keep_tail, last_line, not_started, start_process
from switchover.process.groups import COMMANDS, end_group
from switchover.target.telemetry_sources import Command

LINE_LIMIT = 65536


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line without its newline, and the time when the line was read, on the run's clock."""

    text: str
    arrived_ns: int


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark between lines: the source was opened, or was closed for `reason`."""

    is_open: bool
    at_ns: int
    reason: str = ""


class LineSplitter:
    def __init__(self) -> None:
        self._rest = b""
        self._dropping = False

    def feed(self, piece: bytes, arrived_ns: int) -> list[SourceLine]:
        """Return the lines that `piece` completes, with times that are 1 µs apart."""
        *complete, self._rest = (self._rest + piece).split(b"\n")
        if complete and self._dropping:
            complete, self._dropping = complete[1:], False
        if len(self._rest) > LINE_LIMIT:
            self._rest, self._dropping = b"", True
        lines = [line for line in complete if len(line) <= LINE_LIMIT]
        return [SourceLine(raw.decode("utf-8", "replace"), arrived_ns + 1000 * n) for n, raw in enumerate(lines)]


BACKOFF_S = (0.2, 0.5, 1.0, 2.0, 5.0)
"""The waiting times, in seconds, before successive restarts. If the command ran for at least `STEADY_S`, the first
time is used again."""
STEADY_S = 10.0
_CHUNK = 65536


class Stream:
    """A reader of the lines of a command, for use by one thread. `close()` kills the command's process group."""

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
        """Return new lines and marks, after at most `timeout_s`. Never raises: an error is a mark with a reason."""
        if self._process is not None:
            return self._read(self._process, timeout_s)
        wait_s = self._next_start - time.monotonic()
        if wait_s > 0:
            time.sleep(min(wait_s, timeout_s))
            return []
        return [self._start()]

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
            return Mark(False, self._clock.now_ns(), str(not_started(self._source.arguments, error)))
        COMMANDS.add(self._process.pid)
        return Mark(True, self._clock.now_ns())

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
                    keep_tail(self._complaints, piece)
                    if not piece:
                        process.stderr.close()
                elif piece:
                    events += self._splitter.feed(piece, arrived_ns)
                else:
                    ended_ns = arrived_ns
        if ended_ns is not None:
            events.append(Mark(False, ended_ns, self._end(process)))
        return events

    def _end(self, process: subprocess.Popen[bytes]) -> str:
        reaped = end_group(process)
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        if not process.stderr.closed:
            os.set_blocking(process.stderr.fileno(), False)
            with contextlib.suppress(OSError):
                self._complaints += os.read(process.stderr.fileno(), KEPT_BYTES)
            process.stderr.close()
        COMMANDS.remove(process.pid)
        self._process = None
        self._delay_next_start()
        if not reaped:
            return f"`{self._source}` closed its output and cannot be killed: it may still run"
        complaint = last_line(self._complaints)
        return f"`{self._source}` ended" + (f": {complaint}" if complaint else f" with status {process.returncode}")

    def _delay_next_start(self) -> None:
        if time.monotonic() - self._started >= STEADY_S:
            self._failures = 0
        self._next_start = time.monotonic() + BACKOFF_S[min(self._failures, len(BACKOFF_S) - 1)]
        self._failures += 1


def with_terminal(arguments: Sequence[str]) -> Sequence[str]:
    """Return the arguments. In an ssh command, add the option that requests a remote terminal.

    Without a terminal, the remote command continues after the connection has ended, until the command prints its next
    line.
    """
    if not arguments or arguments[0].rpartition("/")[2] != "ssh":
        return arguments
    return (arguments[0], "-tt", *arguments[1:])
