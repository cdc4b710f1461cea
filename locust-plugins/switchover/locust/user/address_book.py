"""The addresses of host names, shared by all users of the process, so that the test does not measure the resolver."""

import socket
from time import monotonic_ns

import gevent
from gevent.lock import RLock

from switchover.http.address import Peer
from switchover.locust.recording.attribution import remember
from switchover.locust.user.errors import RequestError
from switchover.model.failure_kind import FailureKind

AGE_S = 10.0
"""The time, in seconds, for which an answer of the resolver is used."""
NAMES_LIMIT = 1000
"""The maximum number of stored host names, because redirects may lead to any number of hosts."""

_AGE_NS = round(AGE_S * 1e9)


class AddressBook:
    """The addresses of host names. Users that need the same name at the same time share one look-up."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], tuple[list[Peer], int]] = {}
        """The addresses of each host and port, and the monotonic time, in ns, at which the addresses expire."""
        self._lock = RLock()

    def find(self, host: str, port: int, deadline_ns: int) -> list[Peer]:
        """Return the addresses of a host name. Raises RequestError if there is no address at the deadline."""
        known = self._known.get((host, port))
        now_ns = monotonic_ns()
        if known is not None and known[1] > now_ns:
            return known[0]
        late = RequestError(FailureKind.DNS, "no answer from the resolver in time")
        with gevent.Timeout(max(0, deadline_ns - now_ns) / 1e9, late), self._lock:
            known = self._known.get((host, port))
            if known is not None and known[1] > now_ns:  # another user has looked up the name
                return known[0]
            return self._look_up(host, port)

    def _look_up(self, host: str, port: int) -> list[Peer]:
        try:
            answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            raise RequestError(FailureKind.DNS, reason) from None
        peers = [Peer(family, address) for family, _, _, _, address in answers]
        return remember(self._known, (host, port), (peers, monotonic_ns() + _AGE_NS), NAMES_LIMIT)[0]


ADDRESSES = AddressBook()
