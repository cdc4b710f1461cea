"""Promises: the effect of a reload on each kind of connection, and the configuration line that causes this effect."""

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import NamedTuple

from switchover.model.held_kind import HeldKind

FRESH = "fresh"
LOADS: dict[str, str] = {
    FRESH: "a new connection for each request",
    HeldKind.POOLED: "keep-alive connections that send a request every 50 to 150 ms",
    HeldKind.IDLE: "keep-alive connections that are idle for up to 6 s",
    HeldKind.DOWNLOAD: "a response that takes longer than the reload",
    HeldKind.UPLOAD: "a request that takes longer than the reload",
    HeldKind.SSE: "a stream of events without end",
    HeldKind.WEBSOCKET: "a WebSocket",
    HeldKind.TCP: "a connection in TCP mode",
    HeldKind.H2: "HTTP/2, many short streams on one connection",
}
"""The kinds of load (new connections, and each kind of held connection) and their descriptions."""

POOLED_PAUSE_S, IDLE_PAUSE_S = 0.15, 6.0
"""The longest pauses, in seconds, between two requests on a keep-alive connection, as in connections/pooled.py."""


class Fate(Enum):
    KEPT = "kept"
    """No request is lost. The balancer serves the connection to its end, or announces the close to the client."""
    CUT = "cut"
    """The balancer may close the connection during a request, but not earlier than `cut_after_s` seconds after the
    reload."""
    MAY_BE_LOST = "may be lost"
    """The balancer closes the connection without an announcement. A request that arrives while the balancer closes
    the connection gets no response."""
    NOT_SERVED = "not served"
    UNKNOWN = "not known"


class Promise(NamedTuple):
    fate: Fate
    because: str
    place: str | None = None
    """The place of the configuration line that causes the effect. None: a default setting causes the effect."""
    cut_after_s: float | None = None
    setting: str = ""
    """The setting that would prevent lost requests. Empty: no request is lost."""

    @property
    def text(self) -> str:
        if self.fate is Fate.CUT and self.cut_after_s is not None:
            return f"cut after {self.cut_after_s:g} s"
        return self.fate.value


class PromisedService(NamedTuple):
    """One or more listening services with the same promises: their names, and a promise for each kind of load."""

    names: tuple[str, ...]
    place: str
    promises: dict[str, Promise]


class ReloadPromise(NamedTuple):
    """All promises of a configuration. `balancer`: haproxy or nginx. `notes`: remarks for the user."""

    balancer: str
    services: tuple[PromisedService, ...]
    notes: tuple[str, ...] = ()


def unite(services: Iterable[PromisedService]) -> tuple[PromisedService, ...]:
    merged: dict[tuple[tuple[str, str], ...], PromisedService] = {}
    for service in services:
        key = tuple((promise.text, promise.because) for promise in service.promises.values())
        first = merged.setdefault(key, service)
        if first is not service:
            merged[key] = PromisedService((*first.names, *service.names), first.place, first.promises)
    return tuple(merged.values())


GOAWAY = "GOAWAY names the last accepted stream, and all accepted streams get a response"
"""The reason why HTTP/2 connections lose no request."""


def kept(because: str, place: str | None = None) -> Promise:
    return Promise(Fate.KEPT, because, place)


def not_served(because: str) -> Promise:
    return Promise(Fate.NOT_SERVED, because)


class ProcessEnd(NamedTuple):
    """The time after which an old process closes all connections. 0 s: the old process serves each connection until
    the connection ends."""

    setting: str
    """The name of the setting that limits the time."""
    text: str = ""
    place: str | None = None
    seconds: float = 0.0

    def serve(self, how: str) -> Promise:
        """Return the promise for a connection that the old process serves until the connection ends."""
        if not self.seconds:
            return kept(f"{how}: no {self.setting}")
        because = f"{self.text}: the old process then closes all open connections"
        advice = f"remove {self.setting}, or set it longer than your longest connection"
        return Promise(Fate.CUT, because, self.place, self.seconds, advice)

    def limit(self, promise: Promise, pause_s: float) -> Promise:
        """Return `promise`. If the old process may end during a pause of `pause_s` seconds, return the promise that
        the connection is cut instead."""
        return self.serve("") if 0 < self.seconds < pause_s else promise


def settings_of(promises: Sequence[Promise]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(promise.setting for promise in promises if promise.setting))
