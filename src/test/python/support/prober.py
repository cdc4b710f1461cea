"""One probe at a time over the prober's sockets, and servers that reset."""

import select
import socket
import struct
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

from switchover.http.address import resolve
from switchover.http.head import HeadReader
from switchover.model.identity import IdentitySettings
from switchover.prober import ProberSpec
from switchover.prober.account import ProbeStream, Schedule
from switchover.prober.records import SentProbe
from switchover.prober.sockets import ProbeSockets
from switchover.target.model import Endpoint

PATIENCE_S = 30.0
"""Nothing here takes a second; a machine under load may be slow."""


def spec_of(url: str, directory: Path = Path("/nonexistent"), **values: Any) -> ProberSpec:
    """A spec of timeouts that nothing here runs into by chance; `endpoint` holds more of the endpoint."""
    endpoint = Endpoint(url, **values.pop("endpoint", {}))
    defaults: dict[str, Any] = {"timeout_connect_s": 10, "timeout_read_s": 10, "late_s": 10, "run": "test"}
    return ProberSpec(
        endpoint=endpoint, probes=directory / "probes.jtl", journal=directory / "journal.lp", **(defaults | values)
    )


class Bench:
    """A wire whose probes are sent by hand."""

    def __init__(self, spec: ProberSpec, identity: IdentitySettings | None = None) -> None:
        self.ended: list[SentProbe] = []
        self._epoll = select.epoll()
        names = {False: "fresh", True: "kept"}
        self.streams = {keep: ProbeStream(name, Schedule(0, Fraction(1), 1)) for keep, name in names.items()}
        peer = resolve(spec.endpoint.host, spec.endpoint.port)
        self.shown: list[bytes] = []
        """The certificates of new connections."""
        heads = HeadReader(identity or spec.identity)
        self.ahead_ns = 0
        """How much later it is for the time-outs."""
        self.wire = ProbeSockets(spec, peer, heads, self._epoll, self.ended.append, self.shown.append)

    def __enter__(self) -> "Bench":
        return self

    def __exit__(self, *_: object) -> None:
        self.wire.close()
        self._epoll.close()

    def send(self, *, keep: bool = False) -> None:
        self.wire.send(self.streams[keep], time.monotonic_ns())

    def pump(self, until: Callable[[], bool]) -> None:
        give_up = time.monotonic() + PATIENCE_S
        while not until():
            assert time.monotonic() < give_up, "nothing happened"
            for fd, _ in self._epoll.poll(0.01):
                self.wire.ready(self.wire.connections[fd])
            self.wire.expire(time.monotonic_ns() + self.ahead_ns)

    def probe(self, *, keep: bool = False) -> SentProbe:
        """Send one and wait for its end."""
        before = len(self.ended)
        self.send(keep=keep)
        self.pump(lambda: len(self.ended) > before)
        return self.ended[-1]


def probe_once(url: str, **values: Any) -> SentProbe:
    with Bench(spec_of(url, **values)) as bench:
        return bench.probe()


def resets(connection: socket.socket, over: threading.Event) -> None:
    """RST as soon as the connection is accepted."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def resets_after_request(connection: socket.socket, over: threading.Event) -> None:
    connection.recv(65536)
    resets(connection, over)
