"""`python -m support.syn_prober ADDRESS PORT SOURCE RATE SECONDS`: half a handshake, again and again.

Sends a TCP SYN as often as RATE says, by a raw socket: no library, connection, HTTP or time-out is in it. Each has a
sequence number of its own, by which a capture tells what became of it. The kernel here knows no such connection and
resets each that is answered, so the balancer accepts none and keeps none.
"""

import contextlib
import ctypes
import socket
import struct
import sys
import time

SOURCE_PORTS = range(20_000, 60_000)
"""Used in turn: at 10,000 a second one comes again after four seconds, when nothing of it is left."""
PR_SET_TIMERSLACK = 29
"""prctl(2): without it the kernel may wake this process 50 us late, half of the interval of 10,000 a second."""
HEADER = struct.Struct("!HHIIBBHHH")
SYN = 0x02


def main() -> None:
    address, port, source, rate, seconds = sys.argv[1:]
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_TCP) as sender:
        sender.setblocking(False)
        send_all(
            sender, address, int(port), source, round(1e9 / int(rate)), time.monotonic_ns() + int(seconds) * 10**9
        )


def send_all(sender: socket.socket, address: str, port: int, source: str, every_ns: int, until_ns: int) -> None:
    """Late ones are not made up for: a flood after a pause would tell of the pause, not of the balancer."""
    fixed = word_sum(socket.inet_aton(source) + socket.inet_aton(address) + struct.pack("!HH", 6, HEADER.size))
    number, due_ns = 0, time.monotonic_ns()
    while due_ns < until_ns:
        left_ns = due_ns - time.monotonic_ns()
        if left_ns > 0:
            time.sleep(left_ns / 1e9)
        number += 1
        with contextlib.suppress(OSError):  # No way there, or a full queue: the capture has no such SYN
            sender.sendto(segment(fixed, SOURCE_PORTS[number % len(SOURCE_PORTS)], port, number), (address, 0))
        due_ns = max(due_ns + every_ns, time.monotonic_ns())


def segment(fixed: int, source_port: int, port: int, number: int) -> bytes:
    fields = (source_port, port, number, 0, HEADER.size // 4 << 4, SYN, 65_535)
    total = fixed + word_sum(HEADER.pack(*fields, 0, 0))
    total = (total & 0xFFFF) + (total >> 16)
    total = (total & 0xFFFF) + (total >> 16)
    return HEADER.pack(*fields, ~total & 0xFFFF, 0)


def word_sum(octets: bytes) -> int:
    return sum(struct.unpack(f"!{len(octets) // 2}H", octets))


if __name__ == "__main__":
    main()
