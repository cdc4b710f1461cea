"""Arrival times from the kernel's packet time stamps, not from the time of reading.

On a busy machine a process reads its socket milliseconds late. This delay is not the balancer's, and it would blur
both edges of an outage. Linux stamps arriving packets if SO_TIMESTAMPNS is set, also for TCP (the last segment of a
read). On other systems, and over TLS, the time of reading counts.
"""

import socket
import struct
import sys
from collections.abc import Iterable
from time import monotonic_ns, time_ns

SO_TIMESTAMPNS = 35
"""The value from asm-generic/socket.h, equal on x86, ARM and RISC-V. Python's socket module does not have it."""

ANCILLARY_BYTES = socket.CMSG_SPACE(16) if hasattr(socket, "CMSG_SPACE") else 0
REFRESH_NS = 50_000_000
"""The longest time that a stepped wall clock can mislead, within the bounds of `arrived_ns`."""
STEP_NS = 1_000_000
"""A stamp further outside its bounds comes from a clock that was set."""
NARROW_NS = 20_000
"""The longest time between the readings of two clocks without an interruption."""
_TRIES = 3
_TIMESPEC = struct.Struct("@qq")

Ancillary = Iterable[tuple[int, int, bytes]]


class PacketStamps:
    """Packet stamps for the sockets that `ask` for them, while it is open.

    The kernel begins to stamp with the first socket that asks, and ends after the last one. A separate socket keeps
    stamps on for short-lived ones.
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
        """Return the stamp on the monotonic clock, within [not_before_ns, read_ns]; `read_ns` without a stamp."""
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
        """Measure the offset of the wall clock, which stamps packets, from the monotonic clock."""
        width_ns, ahead_ns = min(_read_clocks() for _ in range(_TRIES))
        # An interrupted reading adds nothing if the previous reading lies within it.
        if width_ns <= NARROW_NS or abs(ahead_ns - self._wall_ahead_ns) > width_ns:
            self._wall_ahead_ns = ahead_ns
        self._refresh_at_ns = now_ns + REFRESH_NS


def _read_clocks() -> tuple[int, int]:
    """Return the width of the reading, and the offset of the wall clock, uncertain by half of that width."""
    before, wall, after = monotonic_ns(), time_ns(), monotonic_ns()
    return after - before, wall - (before + after) // 2
