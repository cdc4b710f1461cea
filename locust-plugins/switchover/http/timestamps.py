"""Take arrival times from the kernel's packet time stamps (SO_TIMESTAMPNS).

On a busy machine, a process reads its socket some milliseconds late, which would make the start and the end of an
outage inexact. On other systems than Linux, and with TLS, the arrival time is the time when the process reads the
bytes.
"""

import socket
import struct
import sys
from collections.abc import Iterable
from time import monotonic_ns, time_ns

SO_TIMESTAMPNS = 35
"""A constant of asm-generic/socket.h that Python's socket module lacks, equal on x86, ARM and RISC-V."""

ANCILLARY_BYTES = socket.CMSG_SPACE(16) if hasattr(socket, "CMSG_SPACE") else 0
REFRESH_NS = 50_000_000
"""The time between two measurements of the difference between wall clock and monotonic clock. If the wall clock is
stepped, arrival times may be wrong until the next measurement."""
STEP_NS = 1_000_000
"""If a packet time stamp is outside of the possible period by more than this time, the wall clock was stepped."""
NARROW_NS = 20_000
"""If a reading of both clocks takes longer than this time, the reading was interrupted, and is ignored unless the
clock was stepped."""
_TRIES = 3
_TIMESPEC = struct.Struct("@qq")

Ancillary = Iterable[tuple[int, int, bytes]]


class PacketStamps:
    """Reads the packet time stamps of all sockets that were passed to `ask`.

    The kernel stamps packets only while a socket has the option SO_TIMESTAMPNS, so one extra socket always has this
    option.
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
        """Return the arrival time on the monotonic clock, limited to [not_before_ns, read_ns]."""
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
        """Measure the difference between the wall clock, which the packet time stamps use, and the monotonic
        clock."""
        readings = [(monotonic_ns(), time_ns(), monotonic_ns()) for _ in range(_TRIES)]
        width_ns, ahead_ns = min((after - before, wall - (before + after) // 2) for before, wall, after in readings)
        # Ignore an interrupted reading if the previous offset is within the uncertainty of the reading.
        if width_ns <= NARROW_NS or abs(ahead_ns - self._wall_ahead_ns) > width_ns:
            self._wall_ahead_ns = ahead_ns
        self._refresh_at_ns = now_ns + REFRESH_NS
