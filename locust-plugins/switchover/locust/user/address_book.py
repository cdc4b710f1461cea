"""The addresses of both ends of a connection, for all users of the process.

A look-up for each connection would measure the resolver, so names are looked up every 10 s. Source addresses are
taken in turn. A virtual address that moves to another machine stays the same address. If a name gets another address,
the process notices within `AGE_S`.
"""

import itertools
import socket

# The C module: socket.socket is gevent's here.
from _socket import socket as Socket  # noqa: N812
from time import monotonic_ns

import gevent

from switchover.http.address import Peer
from switchover.locust.user.errors import RequestError
from switchover.model.failure_kind import FailureKind

AGE_S = 10.0
"""Lifetime, in seconds, of an answer of the resolver."""
NAMES_LIMIT = 1000
"""The most names that are kept. Redirects may lead to any number."""

_AGE_NS = round(AGE_S * 1e9)
_Key = tuple[str, int]


class AddressBook:
    """The addresses of one process. Users that want the same name at once wait for the same look-up."""

    def __init__(self) -> None:
        self._known: dict[_Key, tuple[list[Peer], int]] = {}
        """The addresses of each name, and the monotonic time at which they expire."""
        self._lookups: dict[_Key, gevent.Greenlet] = {}

    def find(self, host: str, port: int, deadline_ns: int) -> list[Peer]:
        """Return the addresses, in the order to try them. Raises RequestError if there are none by the deadline."""
        key = (host, port)
        known = self._known.get(key)
        now_ns = monotonic_ns()
        if known is not None and known[1] > now_ns:
            return known[0]
        lookup = self._lookups.get(key)
        if lookup is None:
            lookup = self._lookups[key] = gevent.spawn(self._look_up, key)
        lookup.join(max(0, deadline_ns - now_ns) / 1e9)
        if not lookup.ready():
            raise RequestError(FailureKind.DNS, "no answer from the resolver in time")
        found = lookup.value
        if not isinstance(found, list):
            raise RequestError(FailureKind.DNS, str(found))
        return found

    def prefer(self, host: str, port: int, peer: Peer) -> None:
        """Try this address first until the next look-up, because it answered and others did not."""
        known = self._known.get((host, port))
        if known is not None and peer in known[0]:
            known[0].remove(peer)
            known[0].insert(0, peer)

    def _look_up(self, key: _Key) -> list[Peer] | str:
        try:
            found = socket.getaddrinfo(key[0], key[1], type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            return (error.strerror if isinstance(error, OSError) else None) or str(error)
        finally:
            del self._lookups[key]
        peers = [Peer.of(answer) for answer in found]
        if len(self._known) >= NAMES_LIMIT:
            self._known.clear()
        self._known[key] = (peers, monotonic_ns() + _AGE_NS)
        return peers


ADDRESSES = AddressBook()


_turns: dict[tuple[str, ...], "itertools.cycle[str]"] = {}

IP_BIND_ADDRESS_NO_PORT = 24
"""linux/in.h. The port is chosen at connect, so that it need be unique per destination only."""


def next_source(addresses: tuple[str, ...], family: int) -> str | None:
    """Return the next source address of that family, in turn for all users. None: the kernel chooses.

    By default one address has 28,232 ports (ip_local_port_range), so it allows that many connections to one
    destination. Each further address adds the same number.
    """
    fitting = tuple(address for address in addresses if (":" in address) == (family == socket.AF_INET6))
    return next(_turns.setdefault(fitting, itertools.cycle(fitting))) if fitting else None


def bind(sock: Socket, source: str) -> None:
    sock.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
    sock.bind((source, 0))
