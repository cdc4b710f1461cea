"""The settings of the held connections. The parent makes them, and sends them to the process as one line of JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

from switchover import __version__
from switchover.model.errors import UsageError
from switchover.model.held_kind import HeldKind
from switchover.model.identity import IdentitySettings
from switchover.model.redaction import public_text
from switchover.process.measuring_child import ChildSpec
from switchover.target.model import Endpoint

USER_AGENT = f"switchover-connections/{__version__}"
CONNECTIONS_LIMIT = 5_000
"""The most connections of one kind that one process serves without being late."""
ALL = "all"
BODY_S = 8.0
TIMEOUT_CONNECT_S, TIMEOUT_READ_S = 1.0, 2.0
"""Timeouts in seconds, longer than those of probes, because the waiting time of a held client is a figure."""


@dataclass(frozen=True, slots=True)
class KeptOpen:
    """The number of connections of a kind (streams, for `h2`), and their destination."""

    kind: HeldKind
    count: int
    url: str


@dataclass(frozen=True, slots=True)
class HeldSpec(ChildSpec):
    child: ClassVar[str] = "held connections"

    endpoint: Endpoint
    """The headers, certificates and good statuses. Each kind has its own URL."""
    log: Path
    """The path of connections.jtl."""
    loads: tuple[KeptOpen, ...]
    identity: IdentitySettings = field(default_factory=IdentitySettings)
    body_s: float = BODY_S
    """Duration of an upload; the URL of a download decides its own."""
    timeout_connect_s: float = TIMEOUT_CONNECT_S
    timeout_read_s: float = TIMEOUT_READ_S
    """Time without a due byte, after which a request ends as `silence`."""
    timeout_stream_s: float | None = None
    """The read timeout of `sse`, `websocket` and `tcp`, if it differs."""
    seed: int = 0
    method: str = "POST"
    """The method of `pooled` and `idle`. With a retrying client it is PUT, which is idempotent."""

    def __post_init__(self) -> None:
        for load in self.loads:
            check_load(load)

    @property
    def connections(self) -> int:
        return sum(load.count for load in self.loads)

    def timeout_of(self, kind: HeldKind) -> float:
        is_stream = kind in (HeldKind.SSE, HeldKind.WEBSOCKET, HeldKind.TCP)
        return self.timeout_stream_s if is_stream and self.timeout_stream_s is not None else self.timeout_read_s

    @property
    def longest_s(self) -> float:
        return self.timeout_read_s


DEFAULT_COUNTS: Mapping[HeldKind, int] = dict.fromkeys(HeldKind, 20) | {HeldKind.POOLED: 30, HeldKind.IDLE: 200}


def read_counts(text: str) -> dict[HeldKind, int]:
    """Return `pooled=30,idle=200` as numbers. A kind without a number has its usual number; other kinds have
    none.

    `all` returns no entries, which means the usual numbers of all kinds with a URL in the target.
    """
    counts: dict[HeldKind, int] = {}
    if text.strip() == ALL:
        return counts
    for part in text.split(","):
        name, equals, number = part.strip().partition("=")
        if name not in set(HeldKind):
            raise UsageError(f"--connections {text!r}: {name!r} is no kind of connection: {', '.join(HeldKind)}")
        kind = HeldKind(name)
        if equals and not (number.isascii() and number.isdecimal() and int(number) <= CONNECTIONS_LIMIT):
            raise UsageError(f"--connections {text!r}: {number!r} is no count from 0 to {CONNECTIONS_LIMIT}")
        counts[kind] = int(number) if equals else DEFAULT_COUNTS[kind]
    return counts


def choose_loads(counts: Mapping[HeldKind, int], urls: Mapping[HeldKind, str]) -> tuple[KeptOpen, ...]:
    """Return the loads to keep open: the requested kinds, otherwise all kinds with a URL in the target.

    Raises UsageError for a requested kind without a URL in the target file.
    """
    asked = counts or {kind: DEFAULT_COUNTS[kind] for kind in urls}
    for kind, count in asked.items():
        if count and kind not in urls:
            known = ", ".join(urls) or "none"
            raise UsageError(f"the target file has no URL for {kind} in its table [connections]; it has: {known}")
    loads = tuple(KeptOpen(kind, asked[kind], urls[kind]) for kind in HeldKind if asked.get(kind))
    if not loads:
        why = "--connections asks for none" if counts else "the target file has no table [connections]"
        raise UsageError(f"no connection would be kept open, so nothing would feel a change: {why}")
    return loads


def require_retrying_client(loads: Sequence[KeptOpen]) -> KeptOpen:
    """Return the load that the retrying client repeats. Raises UsageError if there is none."""
    if find_spec("urllib3") is None:
        raise UsageError("--retrying-client needs urllib3, which is in the extra 'held' of this package")
    pooled = next((load for load in loads if load.kind is HeldKind.POOLED), None)
    if pooled is None:
        raise UsageError(
            "--retrying-client is that of pooled connections, and --connections or the target file has none of them"
        )
    return pooled


def require_packages() -> None:
    missing = [name for name in ("h2", "wsproto") if find_spec(name) is None]
    if missing:
        names = " ".join(missing)
        raise UsageError(
            f"what keeps connections open is not installed: pip install {names}, or 'switchover[connections]'"
        )


def check_load(load: KeptOpen) -> None:
    schemes = ("tcp",) if load.kind is HeldKind.TCP else ("http", "https")
    try:
        parts = urlsplit(load.url)
        usable = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
        usable = usable and (load.kind is not HeldKind.TCP or parts.port is not None)
    except ValueError:
        usable = False
    if not usable:
        form = "tcp://host:port" if load.kind is HeldKind.TCP else "http://host:port/path or https://…"
        raise UsageError(f"[connections] {load.kind} = {public_text(load.url)!r} is no URL for it: write {form}")
