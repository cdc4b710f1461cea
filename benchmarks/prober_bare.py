"""A probe's system calls and nothing else: what the prober's cost is compared with.

    python benchmarks/prober_bare.py HOST PORT RATE SECONDS    prints CPU seconds and the probes answered

Socket, two options, connect, send, epoll, select, epoll, receive with the kernel's stamp, close by RST; no answer to
read, nothing to record.
"""

import json
import resource
import select
import socket
import struct
import sys
from time import monotonic_ns

from switchover.http.timestamps import ANCILLARY_BYTES, SO_TIMESTAMPNS, PacketStamps
from switchover.prober.process import become_realtime

REQUEST = b"GET / HTTP/1.1\r\nHost: bare\r\nConnection: close\r\n\r\n"
RESET_ON_CLOSE = struct.pack("ii", 1, 0)
WAIT_LIMIT_S = 1.0


def main() -> None:
    address, rate, seconds = (sys.argv[1], int(sys.argv[2])), float(sys.argv[3]), float(sys.argv[4])
    stamps = PacketStamps()
    epoll = select.epoll()
    become_realtime()
    begun = resource.getrusage(resource.RUSAGE_SELF)
    answered = probe_at(address, rate, seconds, epoll)
    ended = resource.getrusage(resource.RUSAGE_SELF)
    stamps.close()
    cpu_s = ended.ru_utime + ended.ru_stime - begun.ru_utime - begun.ru_stime
    print(json.dumps({"cpu_s": cpu_s, "answered": answered}))


def probe_at(address: tuple[str, int], rate: float, seconds: float, epoll: select.epoll) -> int:
    alone, answered = (epoll.fileno(),), 0
    begun_ns = monotonic_ns()
    for number in range(round(rate * seconds)):
        wait_ns = begun_ns + round(number * 1e9 / rate) - monotonic_ns()
        if wait_ns > 0:
            select.select(alone, (), (), wait_ns / 1e9)
        sock = socket.SocketType(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
        sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        sock.connect_ex(address)
        sock.send(REQUEST)
        epoll.register(sock.fileno(), select.EPOLLIN)
        if select.select(alone, (), (), WAIT_LIMIT_S)[0]:
            epoll.poll(0, 16)
            answered += bool(sock.recvmsg(16 * 1024, ANCILLARY_BYTES)[0])
        sock.close()
    return answered


if __name__ == "__main__":
    main()
