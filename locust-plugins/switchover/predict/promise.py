"""The record of a promise: the effect of a reload on open connections, and the line that decides it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from switchover.model.held_kind import HeldKind
from switchover.predict.config_file import Place

FRESH = "fresh"
LOADS: dict[str, str] = {
    FRESH: "a new connection for each request",
    HeldKind.POOLED: "kept connections with a request each 50 to 150 ms",
    HeldKind.IDLE: "kept connections that are silent for up to 6 s",
    HeldKind.DOWNLOAD: "an answer that takes longer than the reload",
    HeldKind.UPLOAD: "a request that takes longer than the reload",
    HeldKind.SSE: "a stream of events without end",
    HeldKind.WEBSOCKET: "a WebSocket",
    HeldKind.TCP: "a connection in TCP mode",
    HeldKind.H2: "HTTP/2, many short streams on one connection",
}
"""The kinds of load: probes and what held connections keep open."""

STREAMS: tuple[str, ...] = (HeldKind.DOWNLOAD, HeldKind.UPLOAD, HeldKind.SSE, HeldKind.WEBSOCKET)
"""The loads that an old worker serves to their end, as long as it may live."""

POOLED_PAUSE_S, IDLE_PAUSE_S = 0.15, 6.0
"""The longest pause between two requests on a kept connection: the upper ends in connections/pooled.py."""


class Fate(Enum):
    """The effect of a reload on an open connection."""

    KEPT = "kept"
    """No request is lost. The connection is served to its end, or the client is informed before the close."""
    CUT = "cut"
    """The connection is ended during a request, not before a certain time."""
    MAY_BE_LOST = "may be lost"
    """Closed without notice. A request sent at that moment gets no response."""
    NOT_SERVED = "not served"
    UNKNOWN = "not known"


@dataclass(frozen=True, slots=True)
class Promise:
    """One kind of load: its fate, the line that decides, and the setting that would keep it."""

    fate: Fate
    because: str
    place: Place | None = None
    """The place of the deciding line. None: a default or a missing line decides."""
    cut_after_s: float | None = None
    setting: str = ""
    """The setting that would keep the connection, if it is not kept."""

    @property
    def text(self) -> str:
        if self.fate is Fate.CUT and self.cut_after_s is not None:
            return f"cut after {self.cut_after_s:g} s"
        return self.fate.value


@dataclass(frozen=True, slots=True)
class PromisedService:
    """A listening service: its names, and the promise for each kind of load. Services with equal promises are
    merged."""

    names: tuple[str, ...]
    place: Place
    promises: dict[str, Promise]


@dataclass(frozen=True, slots=True)
class ReloadPromise:
    """The promise of a whole configuration. `balancer` is haproxy or nginx. `notes` are further remarks for the
    user."""

    balancer: str
    services: tuple[PromisedService, ...]
    notes: tuple[str, ...] = ()


def unite(services: Iterable[PromisedService]) -> tuple[PromisedService, ...]:
    """Merge services with the same promises, in the order of the file. The deciding lines are those of the first
    service."""
    found: dict[tuple[tuple[str, str], ...], PromisedService] = {}
    for service in services:
        key = tuple((promise.text, promise.because) for promise in service.promises.values())
        first = found.setdefault(key, service)
        if first is not service:
            found[key] = PromisedService((*first.names, *service.names), first.place, first.promises)
    return tuple(found.values())


def kept(because: str, place: Place | None = None) -> Promise:
    return Promise(Fate.KEPT, because, place)


def not_served(because: str) -> Promise:
    return Promise(Fate.NOT_SERVED, because)


def settings_of(promises: Sequence[Promise]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(promise.setting for promise in promises if promise.setting))
