"""Read the FIFO that Keepalived writes (`vrrp_notify_fifo`). The reader never blocks, and never makes Keepalived
block.

Keepalived creates the FIFO at its start, and removes the FIFO at a normal stop. After a kill, the FIFO remains
(measured with 2.2.7). Keepalived also opens the FIFO for reading, so lines wait in the FIFO until they are read. So
the lines that are read first show the state, but not the time at which the state changed. A FIFO must have only one
reader: with two readers, each reader gets only some lines.
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
"""The interval between two attempts to open a missing FIFO. The first lines of a new FIFO are read at most this time
late."""
_REPLACED_S = 0.25
"""The interval at which an open FIFO is compared with the file at its path."""
_CHUNK = 65536


class FifoReader:
    """A reader of the lines of a FIFO. Only one thread may use the reader. A FIFO that was removed or replaced is
    opened again."""

    def __init__(self, source: Fifo, clock: Clock) -> None:
        self._path = Path(source.path)
        self._source = source
        self._clock = clock
        self._descriptor: int | None = None
        self._splitter = LineSplitter()
        self._looked_ns = 0
        self._missing_reported = False

    def poll(self, timeout_s: float) -> list[SourceLine | Mark]:
        """Return new lines, after a wait of at most `timeout_s`. Never raises: an error is a CLOSED mark."""
        if self._descriptor is None:
            return self._open(timeout_s)
        poller = select.poll()
        poller.register(self._descriptor, select.POLLIN)
        events = poller.poll(round(min(timeout_s, _REPLACED_S) * 1000))
        arrived_ns = self._clock.now_ns()
        if not events:
            is_replaced = arrived_ns - self._looked_ns >= _REPLACED_S * 1e9 and self._is_replaced(arrived_ns)
            return [self._closed("the FIFO was replaced", arrived_ns)] if is_replaced else []
        try:
            piece = os.read(self._descriptor, _CHUNK)
        except OSError:
            return []  # another reader was faster
        if piece:
            return list(self._splitter.feed(piece, arrived_ns))
        # No process has the FIFO open for writing. A new descriptor reports nothing until a new writer opens the
        # FIFO.
        return [self._closed("the writer has closed the FIFO", arrived_ns)]

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _closed(self, reason: str, at_ns: int) -> Mark:
        self.close()
        return Mark(Turn.CLOSED, at_ns, f"{self._source}: {reason}")

    def _open(self, timeout_s: float) -> list[SourceLine | Mark]:
        reason = "is not a FIFO"
        try:
            self._descriptor = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            if stat.S_ISFIFO(os.fstat(self._descriptor).st_mode):
                self._missing_reported = False
                self._splitter = LineSplitter()
                return [Mark(Turn.OPENED, self._clock.now_ns())]
        except OSError as error:
            reason = error.strerror or "cannot be opened"
        mark = self._closed(reason, self._clock.now_ns())
        time.sleep(min(RETRY_S, timeout_s))
        marks = [] if self._missing_reported else [mark]
        self._missing_reported = True
        return [*marks]

    def _is_replaced(self, at_ns: int) -> bool:
        """Return True if a new FIFO has replaced the open FIFO, because Keepalived was restarted.

        False if the FIFO was only removed, because its reader then gets an end of file.
        """
        self._looked_ns = at_ns
        assert self._descriptor is not None
        try:
            return not os.path.samestat(self._path.stat(), os.fstat(self._descriptor))
        except OSError:
            return False
