"""A FIFO that Keepalived writes to (`vrrp_notify_fifo`), read without ever blocking or being in its way.

Keepalived makes the FIFO when it starts, removes it when it stops in order, and leaves it when it is killed
(measured, 2.2.7). It holds it open for reading too, so lines wait there until they are read: those found at the
first opening say what the state is, not when it changed. A FIFO has one reader: of two, each
gets some of the lines.
"""

import os
import select
import stat
import time
from pathlib import Path

from switchover.model.clock import Clock
from switchover.process.stream import LineSplitter, Mark, SourceLine, Turn
from switchover.target.telemetry_sources import Fifo

RETRY_S = 0.05
"""How often a missing FIFO is looked for, which bounds how late the first lines of a new one are read."""
_REPLACED_S = 0.25
"""How often an open FIFO is compared with what stands at its path."""
_CHUNK = 65536


class FifoReader:
    """The lines of a FIFO, for one reading thread; open again after it vanished or was replaced."""

    def __init__(self, source: Fifo, clock: Clock) -> None:
        self._path = Path(source.path)
        self._source = source
        self._clock = clock
        self._descriptor: int | None = None
        self._splitter = LineSplitter()
        self._looked_ns = 0
        self._missing_reported = False

    def poll(self, timeout_s: float) -> list[SourceLine | Mark]:
        """What has come, waiting at most `timeout_s` for it. Never raises: what goes wrong is a CLOSED mark."""
        if self._descriptor is None:
            return self._open(timeout_s)
        return self._read(self._descriptor, timeout_s)

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _open(self, timeout_s: float) -> list[SourceLine | Mark]:
        try:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            return self._missing(error.strerror or "cannot be opened", timeout_s)
        if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            return self._missing("is no FIFO", timeout_s)
        self._descriptor, self._missing_reported = descriptor, False
        self._splitter = LineSplitter()
        return [Mark(Turn.OPENED, self._clock.now_ns())]

    def _missing(self, reason: str, timeout_s: float) -> list[SourceLine | Mark]:
        time.sleep(min(RETRY_S, timeout_s))
        if self._missing_reported:
            return []
        self._missing_reported = True
        return [Mark(Turn.CLOSED, self._clock.now_ns(), f"{self._source}: {reason}")]

    def _read(self, descriptor: int, timeout_s: float) -> list[SourceLine | Mark]:
        poller = select.poll()
        poller.register(descriptor, select.POLLIN)
        events = poller.poll(round(min(timeout_s, _REPLACED_S) * 1000))
        arrived_ns = self._clock.now_ns()
        if not events:
            return self._check_path(descriptor, arrived_ns)
        try:
            piece = os.read(descriptor, _CHUNK)
        except OSError:
            # Another reader was faster.
            return []
        if piece:
            return list(self._splitter.feed(piece, arrived_ns))
        return self._writer_gone(arrived_ns)

    def _writer_gone(self, at_ns: int) -> list[SourceLine | Mark]:
        """End of file: no process holds it open for writing. A new descriptor is quiet until a new writer comes."""
        self.close()
        return [Mark(Turn.CLOSED, at_ns, f"{self._source}: its writer has closed it")]

    def _check_path(self, descriptor: int, at_ns: int) -> list[SourceLine | Mark]:
        """A new FIFO of the same name means a new Keepalived: what stays open leads nowhere."""
        if at_ns - self._looked_ns < _REPLACED_S * 1e9:
            return []
        self._looked_ns = at_ns
        try:
            there = self._path.stat()
        except OSError:
            # Removed after its writer has closed it, which comes as an end of file.
            return []
        here = os.fstat(descriptor)
        if (there.st_ino, there.st_dev) == (here.st_ino, here.st_dev):
            return []
        self.close()
        return [Mark(Turn.CLOSED, at_ns, f"{self._source}: it was replaced")]
