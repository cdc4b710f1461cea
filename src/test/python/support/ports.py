"""Ports that nobody has at the moment, and addresses of a test's own."""

import contextlib
import random
import socket
from collections.abc import Iterator

PORTS = range(20_000, 32_768)
"""Below those that Linux gives to the near end of a connection: one of these could be taken by anybody's request
before a server that takes seconds to start comes to listen."""

_ANY = random.SystemRandom()
"""Another one in each process that runs tests."""


@contextlib.contextmanager
def closed_port() -> Iterator[int]:
    """A port that nobody listens on, and that nobody else gets meanwhile."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


def is_open(port: int) -> bool:
    """Whether somebody listens there."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1.0):
        return True
    return False


def own_address() -> str:
    """An address of this machine that no other test has: what the kernel tells of it is of this one alone."""
    return ".".join(["127", *(str(_ANY.randrange(1, 255)) for _ in range(3))])


def free_port() -> int:
    return free_ports(1)[0]


def free_ports(count: int) -> list[int]:
    """Each another."""
    found: list[int] = []
    with contextlib.ExitStack() as stack:
        for port in _ANY.sample(PORTS, len(PORTS)):
            if len(found) == count:
                break
            with contextlib.suppress(OSError):
                stack.enter_context(socket.create_server(("127.0.0.1", port)))
                found.append(port)
    return found
