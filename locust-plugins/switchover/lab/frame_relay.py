"""A link with a delay, in user space, because some kernels lack netem: `frame_relay.py INTERFACE INTERFACE MS`.
Frames keep their segmentation and checksum fields (PACKET_VNET_HDR)."""

import select
import socket
import sys
import time
from collections import deque
from contextlib import suppress

EVERY_PROTOCOL = 0x0003
SOL_PACKET, PACKET_VNET_HDR, PACKET_IGNORE_OUTGOING = 263, 15, 23
SO_RCVBUFFORCE = 33
RECEIVE_BUFFER = 32 * 1024 * 1024
LARGEST_FRAME = 70_000
"""The maximum size of a frame in bytes: 64 KiB with headers, as segmentation offload produces."""
BURST = 64


class Direction:
    def __init__(self, source: socket.socket, sink: socket.socket, delay_s: float) -> None:
        self.source, self._sink, self._delay_s = source, sink, delay_s
        self._held: deque[tuple[float, bytes]] = deque()

    @property
    def next_due(self) -> float | None:
        return self._held[0][0] if self._held else None

    def receive(self) -> None:
        with suppress(OSError):  # nothing more to read, or the link is down
            for _ in range(BURST):
                frame = self.source.recv(LARGEST_FRAME)
                self._held.append((time.monotonic() + self._delay_s, frame))

    def send_due(self) -> None:
        with suppress(OSError):  # the frame is lost, because the link is down
            while self._held and self._held[0][0] <= time.monotonic():
                self._sink.send(self._held.popleft()[1])


def open_interface(name: str) -> socket.socket:
    opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(EVERY_PROTOCOL))
    opened.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    opened.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    try:
        opened.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER)
    except PermissionError:  # SO_RCVBUFFORCE needs rights outside of the user namespace
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
    opened.bind((name, EVERY_PROTOCOL))
    opened.setblocking(False)
    return opened


def main(first: str, other: str, round_trip_ms: float) -> None:
    ends = open_interface(first), open_interface(other)
    directions = {end: Direction(end, sink, round_trip_ms / 2000) for end, sink in zip(ends, ends[::-1], strict=True)}
    print("relaying", flush=True)
    while True:
        due = [at for direction in directions.values() if (at := direction.next_due) is not None]
        wait_s = max(0.0, min(due) - time.monotonic()) if due else None
        readable, _, _ = select.select(ends, (), (), wait_s)
        for end in readable:
            directions[end].receive()
        for direction in directions.values():
            direction.send_due()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
