"""Source addresses, taken in turn by all users of the process.

One address has 28,232 ports by default (ip_local_port_range), and so many connections to one destination; each
further address brings as many again.
"""

import itertools
import socket
import sys

# The C module: socket.socket is gevent's here.
from _socket import socket as Socket  # noqa: N812

_turns: dict[tuple[str, ...], "itertools.cycle[str]"] = {}

IP_BIND_ADDRESS_NO_PORT = 24
"""linux/in.h. The port is chosen at connect, so that it need be unique per destination only."""


def next_source(addresses: tuple[str, ...], family: int) -> str | None:
    """The next address of that family; None: the kernel chooses."""
    fitting = tuple(address for address in addresses if (":" in address) == (family == socket.AF_INET6))
    if not fitting:
        return None
    if fitting not in _turns:
        _turns[fitting] = itertools.cycle(fitting)
    return next(_turns[fitting])


def bind(sock: Socket, source: str) -> None:
    """Connect from there. OSError if it is no address of this machine."""
    if sys.platform == "linux":
        sock.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
    sock.bind((source, 0))
