"""When an answer arrived: the kernel's own time stamp of the packet, not the time at which we came to read it.

On a busy machine a process gets to its socket milliseconds late. That is our delay, no part of the balancer's answer,
and it would blur both edges of an outage. Linux stamps arriving packets when SO_TIMESTAMPNS asks for it, also for
TCP (the last segment of what was read); elsewhere, and over TLS, the time of reading stands.
"""

import socket
import struct
import sys
from collections.abc import Iterable
from time import monotonic_ns, time_ns

SO_TIMESTAMPNS = 35
"""asm-generic/socket.h, the same on x86, ARM and RISC-V; Python's socket module does not name it."""

ANCILLARY_BYTES = socket.CMSG_SPACE(16) if hasattr(socket, "CMSG_SPACE") else 0
REFRESH_NS = 50_000_000
"""The time that a stepped wall clock can mislead us, within the bounds of `arrived_ns`."""
STEP_NS = 1_000_000
"""A stamp that lies further out of its bounds is of a clock that was set."""
NARROW_NS = 20_000
"""Two clocks are read one after the other in less, unless something came in between."""
_TRIES = 3
_TIMESPEC = struct.Struct("@qq")

Ancillary = Iterable[tuple[int, int, bytes]]


class PacketStamps:
    """Stamping, while it is open, for the sockets that `ask` for it.

    The kernel begins to stamp with the first socket that asks and ends, later, after the last one; a socket of our
    own keeps it going, so that short-lived ones do not find it off.
    """

    def __init__(self) -> None:
        self._keeper = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.ask(self._keeper)
        self._wall_ahead_ns = 0
        self._refresh_at_ns = 0

    @staticmethod
    def available() -> bool:
        return sys.platform == "linux" and struct.calcsize("P") == 8

    def ask(self, sock: socket.SocketType) -> None:
        sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)

    def close(self) -> None:
        self._keeper.close()

    def arrived_ns(self, ancillary: Ancillary, read_ns: int, not_before_ns: int) -> int:
        """The stamp on the monotonic clock, never outside [not_before_ns, read_ns]; `read_ns` without a stamp."""
        for level, kind, data in ancillary:
            if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS and len(data) == _TIMESPEC.size:
                if read_ns >= self._refresh_at_ns:
                    self._refresh(read_ns)
                seconds, nanoseconds = _TIMESPEC.unpack(data)
                wall_ns: int = seconds * 1_000_000_000 + nanoseconds
                stamp_ns = wall_ns - self._wall_ahead_ns
                if not_before_ns <= stamp_ns <= read_ns:
                    return stamp_ns
                if not not_before_ns - STEP_NS <= stamp_ns <= read_ns + STEP_NS:
                    self._refresh(read_ns)
                    stamp_ns = wall_ns - self._wall_ahead_ns
                return max(not_before_ns, min(read_ns, stamp_ns))
        return read_ns

    def _refresh(self, now_ns: int) -> None:
        """Measure how far the wall clock, by which the kernel stamps, is ahead of ours."""
        width_ns, ahead_ns = min(_read_clocks() for _ in range(_TRIES))
        # A reading that was interrupted tells nothing where the one before lies within it.
        if width_ns <= NARROW_NS or abs(ahead_ns - self._wall_ahead_ns) > width_ns:
            self._wall_ahead_ns = ahead_ns
        self._refresh_at_ns = now_ns + REFRESH_NS


def _read_clocks() -> tuple[int, int]:
    """The width of the reading, and the wall clock less ours, to half of that."""
    before, wall, after = monotonic_ns(), time_ns(), monotonic_ns()
    return after - before, wall - (before + after) // 2
