"""Pages of metrics in Prometheus' text format, as HAProxy's exporter, Envoy, Traefik and Caddy print them.

https://prometheus.io/docs/instrumenting/exposition_formats/. Help, types and timestamps are passed over.

The names are those of HAProxy's prometheus-exporter (2.0 and later), of Envoy's `/stats/prometheus`, of Traefik 2 and
3, and of Caddy 2. A column has the same meaning for all; one that a software does not count is not there.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from switchover.model.errors import TelemetryError
from switchover.target.telemetry_sources import Command, HttpPage
from switchover.telemetry.fetch import TIMEOUT_S, fetch
from switchover.telemetry.haproxy import StatRow

_SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)[ \t]*(?:\{(.*)\})?[ \t]*(\S+)(?:[ \t]+-?[0-9.]+)?[ \t]*", re.ASCII)
_LABEL = re.compile(r'[ \t]*([a-zA-Z_][a-zA-Z0-9_]*)[ \t]*=[ \t]*"((?:[^"\\]|\\.)*)"[ \t]*(?:,|$)', re.ASCII)
_ESCAPED = re.compile(r"\\(.)")


@dataclass(frozen=True, slots=True)
class MetricSample:
    """One line of the page."""

    name: str
    labels: Mapping[str, str]
    value: float

    def label(self, name: str) -> str:
        return self.labels.get(name, "")


def parse_exposition(page: bytes) -> Iterator[MetricSample]:
    """The samples, but for those that are no number now (NaN, infinities).

    TelemetryError where a line is none of the format's, and where the page was cut off in the middle of a line.
    """
    if not page.endswith(b"\n"):
        raise TelemetryError("answered a page of metrics that is cut off, or none")
    for line in page.decode("utf-8", "replace").split("\n"):
        if not line.strip() or line.startswith("#"):
            continue
        found = _SAMPLE.fullmatch(line.rstrip("\r"))
        if found is None:
            raise TelemetryError(f"answered something that is no page of metrics: {line[:80]!r}")
        value = _number(found[3], line)
        if math.isfinite(value):
            yield MetricSample(found[1], _labels(found[2] or "", line), value)


def _number(text: str, line: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise TelemetryError(f"answered something that is no page of metrics: {line[:80]!r}") from None


def _labels(text: str, line: str) -> dict[str, str]:
    labels: dict[str, str] = {}
    text = text.rstrip()
    position = 0
    while position < len(text):
        found = _LABEL.match(text, position)
        if found is None:
            raise TelemetryError(f"answered something that is no page of metrics: {line[:80]!r}")
        labels[found[1]] = _ESCAPED.sub(lambda escape: "\n" if escape[1] == "n" else escape[1], found[2])
        position = found.end()
    return labels


HAPROXY, ENVOY, TRAEFIK, CADDY = "haproxy", "envoy", "traefik", "caddy"
FRONTEND, BACKEND, SERVER = "frontend", "backend", "server"
_START_TOLERANCE_S = 2.0
"""A start that is derived from an uptime in whole seconds moves as the second turns."""
_INT64 = 2**63

_HAPROXY_COLUMNS: Mapping[str, str] = {
    "bytes_in_total": "bin",
    "bytes_out_total": "bout",
    "sessions_total": "stot",
    "current_sessions": "scur",
    "max_sessions": "smax",
    "current_queue": "qcur",
    "max_queue": "qmax",
    "http_requests_total": "req_tot",
    "connections_total": "conn_tot",
    "requests_denied_total": "dreq",
    "responses_denied_total": "dresp",
    "request_errors_total": "ereq",
    "connection_errors_total": "econ",
    "response_errors_total": "eresp",
    "retry_warnings_total": "wretr",
    "redispatch_warnings_total": "wredis",
    "client_aborts_total": "cli_abrt",
    "server_aborts_total": "srv_abrt",
    "loadbalanced_total": "lbtot",
    "active_servers": "act",
    "backup_servers": "bck",
    "weight": "weight",
    "check_failures_total": "chkfail",
    "check_up_down_total": "chkdown",
    "downtime_seconds_total": "downtime",
}
"""What follows `haproxy_frontend_`, `haproxy_backend_` and `haproxy_server_`, and HAProxy's own column."""
_NUMBERED_STATUS: Mapping[str, Mapping[float, str]] = {
    FRONTEND: {0: "STOP", 1: "UP"},
    BACKEND: {0: "DOWN", 1: "UP"},
    SERVER: {0: "DOWN", 1: "UP", 2: "MAINT", 3: "DRAIN", 4: "NOLB"},
}
"""What the numbers of 2.0 to 2.3 mean, as the help of the metric says."""

_ENVOY_COLUMNS: Mapping[str, tuple[str, str]] = {
    "envoy_http_downstream_rq_total": (FRONTEND, "req_tot"),
    "envoy_http_downstream_cx_total": (FRONTEND, "conn_tot"),
    "envoy_http_downstream_cx_active": (FRONTEND, "scur"),
    "envoy_http_downstream_cx_rx_bytes_total": (FRONTEND, "bin"),
    "envoy_http_downstream_cx_tx_bytes_total": (FRONTEND, "bout"),
    "envoy_cluster_upstream_rq_total": (BACKEND, "req_tot"),
    "envoy_cluster_upstream_rq_active": (BACKEND, "scur"),
    "envoy_cluster_upstream_rq_pending_active": (BACKEND, "qcur"),
    "envoy_cluster_upstream_cx_connect_fail": (BACKEND, "econ"),
    "envoy_cluster_upstream_rq_retry": (BACKEND, "wretr"),
    "envoy_cluster_membership_healthy": (BACKEND, "act"),
}

_TRAEFIK_COLUMNS: Mapping[str, tuple[str, str]] = {
    "traefik_entrypoint_requests_total": (FRONTEND, "req_tot"),
    "traefik_entrypoint_open_connections": (FRONTEND, "scur"),
    "traefik_open_connections": (FRONTEND, "scur"),
    "traefik_service_requests_total": (BACKEND, "req_tot"),
    "traefik_service_open_connections": (BACKEND, "scur"),
    "traefik_service_retries_total": (BACKEND, "wretr"),
}
"""Without its bytes, which are those of the bodies alone: HAProxy and Envoy count the headers, too."""

Key = tuple[str, str, str]
"""Proxy, server and type of a row."""


@dataclass(frozen=True, slots=True)
class Page:
    """One whole page: rows as HAProxy's statistics have them, and when the process started, if it says so."""

    software: str
    rows: tuple[StatRow, ...]
    started_s: float | None = None
    uptime_s: float | None = None


class _Rows:
    """Rows that are filled sample by sample; samples of one column add up."""

    def __init__(self) -> None:
        self._numbers: defaultdict[Key, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
        self._status: dict[Key, str] = {}

    def add(self, key: Key, column: str, value: float) -> None:
        self._numbers[key][column] += value

    def set_status(self, key: Key, status: str) -> None:
        self._status[key] = status
        self._numbers[key]

    def number(self, key: Key, column: str) -> float | None:
        return self._numbers[key].get(column)

    def filled(self) -> list[Key]:
        return list(self._numbers)

    def finished(self) -> tuple[StatRow, ...]:
        return tuple(
            StatRow(*key, self._status.get(key, ""), {c: int(v) for c, v in numbers.items() if abs(v) < _INT64})
            for key, numbers in self._numbers.items()
        )


def parse_page(page: bytes) -> Page:
    """The rows of a page; TelemetryError if it is none, or of a software that is not known here."""
    samples = list(parse_exposition(page))
    by_name = {sample.name: sample for sample in samples}
    for software, marks, read in _READERS:
        if any(sample.name.startswith(marks) for sample in samples):
            rows = _Rows()
            read(rows, samples)
            started = by_name.get("haproxy_process_start_time_seconds") or by_name.get("process_start_time_seconds")
            uptime = by_name.get("haproxy_process_uptime_seconds") or by_name.get("envoy_server_uptime")
            return Page(
                software, rows.finished(), started.value if started else None, uptime.value if uptime else None
            )
    raise TelemetryError("has metrics, but none of HAProxy's exporter, Envoy, Traefik or Caddy")


def _read_haproxy(rows: _Rows, samples: Iterable[MetricSample]) -> None:
    for sample in samples:
        found = sample.name.removeprefix("haproxy_").partition("_")
        if not sample.name.startswith("haproxy_") or found[0] not in (FRONTEND, BACKEND, SERVER):
            continue
        kind, what = found[0], found[2]
        key = sample.label("proxy"), sample.label("server") if kind == SERVER else kind.upper(), kind
        if what == "http_responses_total":
            rows.add(key, f"hrsp_{sample.label('code')}", sample.value)
        elif what == "status":
            status = _haproxys_status(kind, sample)
            if status:
                rows.set_status(key, status)
        elif what in _HAPROXY_COLUMNS:
            rows.add(key, _HAPROXY_COLUMNS[what], sample.value)


def _haproxys_status(kind: str, sample: MetricSample) -> str:
    """Since 2.4 each state is a sample of its own, and 1 where it holds; before that the status is a number."""
    state = sample.label("state")
    if state:
        return state if sample.value == 1 else ""
    return _NUMBERED_STATUS[kind].get(sample.value, "")


def _read_envoy(rows: _Rows, samples: Iterable[MetricSample]) -> None:
    for sample in samples:
        name = sample.label("envoy_cluster_name") or sample.label("envoy_http_conn_manager_prefix")
        if sample.name in _ENVOY_COLUMNS:
            kind, column = _ENVOY_COLUMNS[sample.name]
            rows.add((name, kind.upper(), kind), column, sample.value)
        elif sample.name in ("envoy_http_downstream_rq_xx", "envoy_cluster_upstream_rq_xx"):
            kind = FRONTEND if "downstream" in sample.name else BACKEND
            column = f"hrsp_{sample.label('envoy_response_code_class')}xx"
            rows.add((name, kind.upper(), kind), column, sample.value)
    for key in rows.filled():
        healthy = rows.number(key, "act")
        if healthy is not None:
            rows.set_status(key, "UP" if healthy else "DOWN")


def _read_traefik(rows: _Rows, samples: Iterable[MetricSample]) -> None:
    for sample in samples:
        if sample.name == "traefik_service_server_up":
            url = sample.label("url")
            server = url.partition("//")[2].partition("/")[0]  # a name, and it may be any text
            key = sample.label("service"), server or url, SERVER
            rows.set_status(key, "UP" if sample.value else "DOWN")
        elif sample.name in _TRAEFIK_COLUMNS:
            kind, column = _TRAEFIK_COLUMNS[sample.name]
            key = sample.label("entrypoint") or sample.label("service"), kind.upper(), kind
            rows.add(key, column, sample.value)
            if sample.name.endswith("_requests_total") and sample.label("code"):
                rows.add(key, f"hrsp_{sample.label('code')[0]}xx", sample.value)


def _read_caddy(rows: _Rows, samples: Iterable[MetricSample]) -> None:
    """Its servers alone: it counts requests once for each handler that they pass, and from 0 after each reload."""
    for sample in samples:
        if sample.name == "caddy_reverse_proxy_upstreams_healthy":
            rows.set_status(("reverse_proxy", sample.label("upstream"), SERVER), "UP" if sample.value else "DOWN")


_READERS: tuple[tuple[str, tuple[str, ...], Callable[[_Rows, Iterable[MetricSample]], None]], ...] = (
    (HAPROXY, ("haproxy_frontend_", "haproxy_backend_"), _read_haproxy),
    (ENVOY, ("envoy_",), _read_envoy),
    (TRAEFIK, ("traefik_",), _read_traefik),
    (CADDY, ("caddy_",), _read_caddy),
)


class MetricsReader:
    """Reads one node's page again and again; one thread at a time."""

    LIMIT_BYTES = 16 * 1024 * 1024

    def __init__(self, source: HttpPage | Command) -> None:
        self._source = source
        self._started_s: float | None = None

    def read(self, now_s: float) -> tuple[Page, str]:
        """The page, and the generation in which its counters only rise; empty where nothing tells when it began."""
        answer = fetch(self._source, None, TIMEOUT_S, self.LIMIT_BYTES)
        try:
            page = parse_page(answer)
        except TelemetryError as error:
            raise TelemetryError(f"{self._source} {error}") from error
        started_s = page.started_s
        if started_s is None and page.uptime_s is not None:
            started_s = now_s - page.uptime_s
        known_s = self._started_s
        if started_s is not None and (known_s is None or abs(started_s - known_s) > _START_TOLERANCE_S):
            self._started_s = started_s
        return page, "" if self._started_s is None else f"{self._started_s:.0f}"
