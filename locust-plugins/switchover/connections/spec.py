"""The settings of the held connections, which the parent sends as one line of JSON, and the parent's interface to the
process."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

from switchover import __version__
from switchover.http.address import is_usable_url
from switchover.model.errors import UsageError
from switchover.model.held_kind import HeldKind
from switchover.model.identity import IdentitySettings
from switchover.model.redaction import public_text
from switchover.process.measuring_child import ChildSpec, MeasuringChild
from switchover.target.model import Endpoint

USER_AGENT = f"switchover-connections/{__version__}"
CONNECTIONS_LIMIT = 5_000
"""The maximum number of connections of one kind, which one process can serve without lateness."""
ALL = "all"
BODY_S = 8.0
TIMEOUT_CONNECT_S, TIMEOUT_READ_S = 1.0, 2.0
"""The connect and read timeouts, in seconds, longer than the timeouts of probes, because the waiting time of clients
is measured."""


@dataclass(frozen=True, slots=True)
class KeptOpen:
    kind: HeldKind
    count: int
    url: str


@dataclass(frozen=True, slots=True)
class HeldSpec(ChildSpec):
    child: ClassVar[str] = "held connections"

    endpoint: Endpoint
    """The headers, certificates and expected statuses of all kinds. Each kind has a separate URL."""
    log: Path
    loads: tuple[KeptOpen, ...]
    identity: IdentitySettings = field(default_factory=IdentitySettings)
    body_s: float = BODY_S
    """The duration of an upload, in seconds. The server determines the duration of a download."""
    timeout_connect_s: float = TIMEOUT_CONNECT_S
    timeout_read_s: float = TIMEOUT_READ_S
    """The time without received data, in seconds, after which a request ends as `silence`."""
    timeout_stream_s: float | None = None
    """The read timeout of `sse`, `websocket` and `tcp`, if it differs from `timeout_read_s`."""
    seed: int = 0
    method: str = "POST"
    """The method of `pooled` and `idle`. With a retrying client, the method is PUT, because PUT is idempotent."""

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
    """Parse the number of connections of each kind, such as `pooled=30,idle`. A kind without a number gets its
    default of 20 or more connections.

    For `all`, the result is empty, which means the default numbers of all kinds that have a URL in the target file.
    """
    counts: dict[HeldKind, int] = {}
    if text.strip() == ALL:
        return counts
    for part in text.split(","):
        name, equals, number = part.strip().partition("=")
        if name not in set(HeldKind):
            raise UsageError(f"--connections {text!r}: {name!r} is not a kind of connection ({', '.join(HeldKind)})")
        kind = HeldKind(name)
        if equals and not (number.isascii() and number.isdecimal() and int(number) <= CONNECTIONS_LIMIT):
            raise UsageError(f"--connections {text!r}: {number!r} is not a number from 0 to {CONNECTIONS_LIMIT}")
        counts[kind] = int(number) if equals else DEFAULT_COUNTS[kind]
    return counts


def choose_loads(counts: Mapping[HeldKind, int], urls: Mapping[HeldKind, str]) -> tuple[KeptOpen, ...]:
    """Return the connections to keep open. Raises UsageError if a kind has no URL in the target file."""
    requested = counts or {kind: DEFAULT_COUNTS[kind] for kind in urls}
    for kind, count in requested.items():
        if count and kind not in urls:
            kinds = ", ".join(urls) or "none"
            raise UsageError(f"the table [connections] of the target file has no URL for {kind}; it has: {kinds}")
    loads = tuple(KeptOpen(kind, requested[kind], urls[kind]) for kind in HeldKind if requested.get(kind))
    if not loads:
        why = "--connections requests no connections" if counts else "the target file has no table [connections]"
        raise UsageError(f"no connection would be kept open, so the effect of a change would not be measured: {why}")
    return loads


def require_retrying_client(loads: Sequence[KeptOpen]) -> KeptOpen:
    """Return the load `pooled`, which the retrying client also sends. Raises UsageError if there is no such load."""
    if find_spec("urllib3") is None:
        raise UsageError("--retrying-client needs urllib3, which is in the extra 'connections' of this package")
    pooled = next((load for load in loads if load.kind is HeldKind.POOLED), None)
    if pooled is None:
        raise UsageError(
            "--retrying-client needs pooled connections, and --connections or the target file has no such connections"
        )
    return pooled


def require_packages() -> None:
    missing = [name for name in ("h2", "wsproto") if find_spec(name) is None]
    if missing:
        names = " ".join(missing)
        raise UsageError(f"held connections need missing packages: pip install {names}, or 'switchover[connections]'")


def check_load(load: KeptOpen) -> None:
    is_tcp = load.kind is HeldKind.TCP
    is_usable = is_usable_url(load.url, ("tcp",) if is_tcp else ("http", "https"))
    if not is_usable or (is_tcp and urlsplit(load.url).port is None):
        form = "tcp://host:port" if is_tcp else "http://host:port/path or https://…"
        raise UsageError(
            f"[connections] {load.kind} = {public_text(load.url)!r} is not a URL for {load.kind}: use {form}"
        )


@dataclass(frozen=True, slots=True)
class HeldProgress:
    requests: int = 0
    failed: Mapping[str, int] = field(default_factory=dict)
    generator_errors: int = 0
    last_loss: str = ""
    open: Mapping[str, int] = field(default_factory=dict)
    workers: Mapping[str, int] = field(default_factory=dict)
    """The number of open connections to each balancer process. The key is the balancer and the process id, as a
    response named them."""


class HeldLoad(MeasuringChild[HeldProgress]):
    module = "switchover.connections"
    name = "held connections"
    progress_type = HeldProgress

    def progress(self) -> HeldProgress:
        return super().progress() or HeldProgress()

    def begin_change(self, number: int) -> None:
        """Report that a change begins. Requests that end before the change has settled are recorded with this
        change."""
        self.send({"change": number})

    def settle_change(self, number: int) -> None:
        self.send({"settled": number})


class RetryingClient(HeldLoad):
    module = "switchover.connections.retrying_client"
    name = "retrying_client"
