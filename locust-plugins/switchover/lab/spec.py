"""The settings of a lab, with their bounds and checks."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from switchover.model.errors import UsageError
from switchover.model.vrrp import BY_HTTP, BY_PROCESS, CheckScript, KeepalivedSettings
from switchover.tables import read_table

STICKY_COOKIE = "SRV"
OPTIONS: Mapping[str, Mapping[str, Any]] = tomllib.loads(read_table("lab_options.toml"))
"""The bounds and help texts of the lab's options. Each key is the name of a field of LabSpec."""

FROM_WHEELS = ("caddy", "traefik", "envoy")
"""Balancers that load a new configuration without a new process. Extras of the wheel install these balancers."""


class BalancerProgram(NamedTuple):
    program: str
    """The program on lb1 and lb2. Empty: there are no balancers."""
    modes: tuple[str, ...]
    """`https`: TLS ends at the balancer. `tcp-https`: TLS ends at the backends."""
    algorithms: tuple[str, ...]


_MODES = ("http", "https", "tcp", "tcp-https")
_ALGORITHMS = ("roundrobin", "static-rr", "leastconn", "first", "source", "uri", "random")
BALANCERS = {
    "haproxy": BalancerProgram("haproxy", _MODES, _ALGORITHMS),
    "redirect": BalancerProgram("haproxy", ("http",), _ALGORITHMS),  # `redir` servers (status 302)
    "nginx": BalancerProgram("nginx", _MODES, ("roundrobin", "leastconn", "source", "uri", "random")),
    "caddy": BalancerProgram("caddy", ("http",), ("roundrobin", "leastconn", "first", "source", "uri", "random")),
    "traefik": BalancerProgram("traefik", ("http",), ("roundrobin",)),
    "envoy": BalancerProgram("envoy", ("http",), ("roundrobin", "leastconn", "random")),
    "none": BalancerProgram("", ("http", "tcp-https"), ("roundrobin",)),
}


class CheckKind(StrEnum):
    PROCESS = BY_PROCESS  # pidof
    HTTP = BY_HTTP  # a health page that the balancer generates itself
    NONE = "none"


LB1 = KeepalivedSettings(priority=101, check=CheckScript(by=BY_PROCESS))
LB2 = KeepalivedSettings(priority=100, check=CheckScript(by=BY_PROCESS))


@dataclass(frozen=True, slots=True)
class KeepalivedPair:
    lb1: KeepalivedSettings = LB1
    lb2: KeepalivedSettings = LB2

    @property
    def check(self) -> CheckKind:
        return CheckKind.NONE if self.lb1.check is None else CheckKind(self.lb1.check.by)

    def of(self, node: str) -> KeepalivedSettings:
        return self.lb1 if node == "lb1" else self.lb2

    @property
    def first_election_s(self) -> float:
        """Return the longest time from Keepalived's start to the master's first advert."""
        return self.lb1.master_down_interval_s


@dataclass(frozen=True, slots=True)
class LabSpec:
    """The settings of a lab, which tables/lab_options.toml describes. Raises UsageError for wrong values."""

    balancer: str = "haproxy"
    mode: str = "http"
    algorithm: str = "roundrobin"
    backends: int = 3
    backend_kind: str = "nginx"
    weights: tuple[int, ...] = ()
    service_ms: tuple[float, ...] = ()
    keepalive: bool = True
    server_close: bool = False
    body_bytes: int = 1024
    sticky: bool = False
    supervised: bool = False
    cipher: str = ""
    workers: int = 0
    max_connections: int = 0
    round_trip_ms: float = 0.0
    client_addresses: int = 0
    """The number of additional client addresses, each in a separate /24, because `ip_hash` ignores the last octet."""
    keepalived: KeepalivedPair = KeepalivedPair()
    connections: bool = False
    hard_stop_after_s: float = 0.0
    """The maximum seconds from a reload to the end of the old process. 0: the old process ends after its last
    connection (Envoy: at most 600 s after the reload)."""
    idle_close_on_response: bool = False
    ssh: bool = False
    expose_fd: bool = True

    def __post_init__(self) -> None:
        known_balancer = BALANCERS.get(self.balancer, BALANCERS["none"])
        for what, choice, known in (
            ("balancer", self.balancer, BALANCERS),
            (f"mode of balancer {self.balancer}", self.mode, known_balancer.modes),
            ("algorithm", self.algorithm, known_balancer.algorithms),
            ("backend kind", self.backend_kind, ("nginx", "apache", "app")),
        ):
            if choice not in known:
                raise UsageError(f"the lab has no {what} {choice!r}: choose {' or '.join(known)}")
        for name, option in OPTIONS.items():
            if "high" in option:
                self._require_bounds(name, option["low"], option["high"])
        is_http, is_haproxy = not self.is_tcp, self.balancer == "haproxy"
        is_from_wheel, proxies = self.balancer in FROM_WHEELS, self.balancer not in ("redirect", "none")
        for is_refused, text in (
            (self.is_tcp and self.algorithm == "uri", "the algorithm uri needs mode http or https"),
            (self.sticky and not (is_haproxy and is_http), "--sticky needs HAProxy in mode http or https"),
            (
                self.service_ms and self.backend_kind != "app",
                f"service times need backends of kind app: {self.backend_kind} serves a file",
            ),
            (
                self.connections and not (is_http and self.backend_kind == "nginx" and proxies),
                "held connections need a balancer that proxies in mode http or https, and backends of kind nginx: "
                f"not {self.balancer}, {self.mode}, {self.backend_kind}",
            ),
            (
                (self.idle_close_on_response or not self.expose_fd) and not is_haproxy,
                "--idle-close-on-response and --no-expose-fd need HAProxy",
            ),
            (
                self.mode == "tcp-https" and self.backend_kind == "app",
                "mode tcp-https needs backends that speak HTTPS: nginx or apache",
            ),
            (
                (is_from_wheel and (not self.keepalive or self.server_close or self.weights or self.max_connections))
                or (self.balancer in ("caddy", "traefik") and self.workers)
                or (self.balancer == "traefik" and self.hard_stop_after_s),
                "caddy, traefik and envoy have no --no-keep-alive, --server-close, --weights and "
                "--max-connections; only envoy has --workers, and traefik has no --hard-stop-after",
            ),
        ):
            if is_refused:
                raise UsageError(text)

    def _require_bounds(self, name: str, low: float, high: float) -> None:
        value, words = getattr(self, name), name.replace("_", " ")
        values = value if isinstance(value, tuple) else (value,)
        if values is value and len(values) not in (0, self.backends):
            raise UsageError(
                f"the lab needs {words} for each of its {self.backends} backends, not {len(values)} values"
            )
        for number in values:
            if not low <= number <= high:
                raise UsageError(f"the lab's {words} must be from {low} to {high}, not {number}")

    @property
    def balancer_service(self) -> str:
        """The name of the balancer's program and service on lb1 and lb2. Empty: there are no balancers."""
        return BALANCERS[self.balancer].program

    @property
    def is_tcp(self) -> bool:
        """True if the balancer forwards bytes without parsing the requests."""
        return self.mode.startswith("tcp")

    @property
    def scheme(self) -> str:
        return "https" if self.mode.endswith("https") else "http"

    @property
    def port(self) -> int:
        return 443 if self.scheme == "https" else 80

    @property
    def backend_port(self) -> int:
        return 443 if self.mode == "tcp-https" else 80

    @property
    def names_backends_itself(self) -> bool:
        """True if the backends send the header X-Backend, because the balancer cannot add this header."""
        return self.balancer in ("none", "redirect", "caddy", "traefik")

    def weight(self, index: int) -> int:
        return self.weights[index] if self.weights else 1

    def service_time_ms(self, index: int) -> float:
        return self.service_ms[index] if self.service_ms else 0.0
