"""The addresses of host names, which all users of the process share.

With a look-up for each connection, the test would measure the resolver. A name is therefore looked up again only
after `AGE_S` seconds.
"""

import socket
from time import monotonic_ns

import gevent

from switchover.http.address import Peer
from switchover.locust.user.errors import RequestError
from switchover.model.failure_kind import FailureKind

AGE_S = 10.0
"""The time, in seconds, for which an answer of the resolver is used."""
NAMES_LIMIT = 1000
"""The maximum number of names that are stored, because redirects may lead to any number of names."""

_AGE_NS = round(AGE_S * 1e9)
_Key = tuple[str, int]


class AddressBook:
    """The addresses that a process knows. Users that need the same name at the same time wait for the same
    look-up."""

    def __init__(self) -> None:
        self._known: dict[_Key, tuple[list[Peer], int]] = {}
        """The addresses of each name, and the monotonic time at which they expire."""
        self._lookups: dict[_Key, gevent.Greenlet] = {}

    def find(self, host: str, port: int, deadline_ns: int) -> list[Peer]:
        """Return the addresses of a name, in the order in which they are tried. Raises RequestError if there is no
        address at the deadline."""
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
        answer = lookup.value
        if not isinstance(answer, list):
            raise RequestError(FailureKind.DNS, str(answer))
        return answer

    def _look_up(self, key: _Key) -> list[Peer] | str:
        try:
            answers = socket.getaddrinfo(key[0], key[1], type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            return (error.strerror if isinstance(error, OSError) else None) or str(error)
        finally:
            del self._lookups[key]
        peers = [Peer.of(answer) for answer in answers]
        if len(self._known) >= NAMES_LIMIT:
            self._known.clear()
        self._known[key] = (peers, monotonic_ns() + _AGE_NS)
        return peers


ADDRESSES = AddressBook()
