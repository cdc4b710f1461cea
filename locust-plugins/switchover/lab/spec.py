"""What a lab is made of: every knob, its bounds, and the line that a wrong one is answered with."""

from dataclasses import dataclass, replace
from enum import StrEnum

from switchover.lab.addresses import MAX_BACKENDS
from switchover.model.errors import UsageError
from switchover.model.vrrp import BY_HTTP, BY_PROCESS, CheckScript, KeepalivedSettings

MAX_BODY_BYTES = 64 * 1024 * 1024
MAX_WEIGHT = 256
"""HAProxy's bound for a server's weight."""
MAX_WORK = 10_000
STICKY_COOKIE = "SRV"

ALGORITHMS = {
    "haproxy": ("roundrobin", "static-rr", "leastconn", "first", "source", "uri", "random"),
    "nginx": ("roundrobin", "leastconn", "source", "uri", "random"),
}


class CheckKind(StrEnum):
    """How Keepalived looks at the balancer of its node."""

    PROCESS = BY_PROCESS
    """`pidof haproxy` (or nginx)."""
    HTTP = BY_HTTP
    """GET of a health page that the balancer itself answers."""
    NONE = "none"


LB1 = KeepalivedSettings(priority=101, check=CheckScript(by=BY_PROCESS))
LB2 = KeepalivedSettings(priority=100, check=CheckScript(by=BY_PROCESS))


@dataclass(frozen=True, slots=True)
class KeepalivedPair:
    """Keepalived's settings on both balancers."""

    lb1: KeepalivedSettings = LB1
    lb2: KeepalivedSettings = LB2

    @property
    def check(self) -> CheckKind:
        return CheckKind.NONE if self.lb1.check is None else CheckKind(self.lb1.check.by)

    def of(self, node: str) -> KeepalivedSettings:
        return self.lb1 if node == "lb1" else self.lb2

    @property
    def first_election_s(self) -> float:
        """How long after Keepalived's start the first master speaks, at the latest."""
        return self.lb1.master_down_interval_s


@dataclass(frozen=True, slots=True)
class LabSpec:
    """A lab. Wrong values are refused here, so that the builders of configs need no checks."""

    balancer: str = "haproxy"
    mode: str = "http"
    algorithm: str = "roundrobin"
    backends: int = 3
    backend_kind: str = "nginx"
    weights: tuple[int, ...] = ()
    """One per backend, or none: all alike."""
    work: tuple[int, ...] = ()
    """How often each `app` backend multiplies its matrices for one answer: its speed is one over it."""
    keepalive: bool = True
    body_bytes: int = 1024
    retries: int = 3
    sticky: bool = False
    """HAProxy keeps a client at its backend by a cookie, `STICKY_COOKIE`."""
    redispatch: bool = True
    """A request whose backend refused goes to another one."""
    supervised: bool = False
    """A balancer process that died is started again after 100 ms, as by systemd's Restart=always."""
    keepalived: KeepalivedPair = KeepalivedPair()

    def __post_init__(self) -> None:
        _one_of("balancer", self.balancer, ("haproxy", "nginx"))
        _one_of("mode", self.mode, ("http",))
        _one_of("algorithm", self.algorithm, ALGORITHMS[self.balancer])
        _one_of("backend kind", self.backend_kind, ("nginx", "app"))
        _between("backends", self.backends, 1, MAX_BACKENDS)
        _between("body size", self.body_bytes, 0, MAX_BODY_BYTES)
        _between("retries", self.retries, 0, 100)
        _per_backend("weights", self.weights, self.backends, MAX_WEIGHT)
        _per_backend("work factors", self.work, self.backends, MAX_WORK)
        if self.sticky and self.balancer != "haproxy":
            raise UsageError("--sticky needs HAProxy: sticky cookies are not in the free Nginx")
        if self.work and self.backend_kind != "app":
            raise UsageError(f"work factors need backends of kind app: {self.backend_kind} serves a file")

    @property
    def balancer_service(self) -> str:
        """The name of the balancer's service on lb1 and lb2."""
        return self.balancer

    @property
    def backend_service(self) -> str:
        """The name of the web server's service on web1, web2, …"""
        return self.backend_kind

    def weight(self, index: int) -> int:
        return self.weights[index] if self.weights else 1

    def work_factor(self, index: int) -> int:
        return self.work[index] if self.work else 1

    def with_keepalived(self, pair: KeepalivedPair) -> "LabSpec":
        return replace(self, keepalived=pair)


def _one_of(what: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise UsageError(f"the lab has no {what} {value!r}: choose {' or '.join(known)}")


def _between(what: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise UsageError(f"the lab's {what} must be from {low} to {high}, not {value}")


def _per_backend(what: str, values: tuple[int, ...], backends: int, high: int) -> None:
    if values and len(values) != backends:
        raise UsageError(f"the lab needs {what} for each of its {backends} backends, not {len(values)}")
    for value in values:
        _between(what, value, 1, high)
