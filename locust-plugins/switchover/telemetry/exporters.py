"""Parse metrics pages of Envoy, Traefik 2 and 3, and Caddy 2. Format:
https://prometheus.io/docs/instrumenting/exposition_formats/. A figure that a program does not count has no column."""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from switchover.model.errors import TelemetryError
from switchover.target.telemetry_sources import Command, HttpPage
from switchover.telemetry.fetch import SCRAPE_S, fetch
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

    def label(self, *names: str) -> str:
        """Return the value of the first label in `names` that the sample has, or an empty text."""
        return next((self.labels[name] for name in names if self.labels.get(name)), "")


def parse_exposition(page: bytes) -> Iterator[MetricSample]:
    """Yield the samples with finite values. Raises TelemetryError for another format, and for an incomplete page."""
    if not page.endswith(b"\n"):
        raise TelemetryError("answered an incomplete or empty metrics page")
    for line in page.decode("utf-8", "replace").split("\n"):
        if not line.strip() or line.startswith("#"):
            continue
        match = _SAMPLE.fullmatch(line.rstrip("\r"))
        try:
            if match is None or _LABEL.sub("", labels := (match[2] or "").rstrip()):
                raise ValueError
            value = float(match[3])
        except ValueError:
            raise TelemetryError(f"answered {line[:80]!r}, which is not a metrics page") from None
        if math.isfinite(value):
            pairs = ((name, _ESCAPED.sub(_unescape, text)) for name, text in _LABEL.findall(labels))
            yield MetricSample(match[1], dict(pairs), value)


def _unescape(escape: re.Match[str]) -> str:
    return "\n" if escape[1] == "n" else escape[1]


FRONTEND, BACKEND, SERVER = "frontend", "backend", "server"
_START_TOLERANCE_S = 2.0
"""The tolerance for a start time that is derived from an uptime in whole seconds."""
_INT64 = 2**63

_COLUMNS: Mapping[str, tuple[str, str]] = {
    metric: (kind, column)
    for kind, columns in {
        FRONTEND: {
            "envoy_http_downstream_rq_total": "req_tot",
            "envoy_http_downstream_cx_total": "conn_tot",
            "envoy_http_downstream_cx_active": "scur",
            "envoy_http_downstream_cx_rx_bytes_total": "bin",
            "envoy_http_downstream_cx_tx_bytes_total": "bout",
            "envoy_http_downstream_rq_xx": "",
            "traefik_entrypoint_requests_total": "req_tot",
            "traefik_entrypoint_open_connections": "scur",
            "traefik_open_connections": "scur",
        },
        BACKEND: {
            "envoy_cluster_upstream_rq_total": "req_tot",
            "envoy_cluster_upstream_rq_active": "scur",
            "envoy_cluster_upstream_rq_pending_active": "qcur",
            "envoy_cluster_upstream_cx_connect_fail": "econ",
            "envoy_cluster_upstream_rq_retry": "wretr",
            "envoy_cluster_membership_healthy": "act",
            "envoy_cluster_upstream_rq_xx": "",
            "traefik_service_requests_total": "req_tot",
            "traefik_service_open_connections": "scur",
            "traefik_service_retries_total": "wretr",
        },
        SERVER: {"traefik_service_server_up": "", "caddy_reverse_proxy_upstreams_healthy": ""},
    }.items()
    for metric, column in columns.items()
}
"""The row type and the column of each metric. A metric without a column counts responses by status class, or shows
whether a server is up.

Traefik's byte counters exclude headers, and Caddy counts a request once for each handler, so these counters are not
used.
"""
_PROXY = ("envoy_cluster_name", "envoy_http_conn_manager_prefix", "entrypoint", "service")
_CLASS = ("envoy_response_code_class", "code")
_SOFTWARE = ("envoy", "traefik", "caddy")


@dataclass(frozen=True, slots=True)
class Page:
    """Rows as in HAProxy's statistics, and the start time or the uptime of the process."""

    software: str
    rows: tuple[StatRow, ...]
    started_s: float | None = None
    uptime_s: float | None = None


def parse_page(page: bytes) -> Page:
    """Parse a page. Raises TelemetryError if the page is not a metrics page, or comes from an unknown program."""
    samples = list(parse_exposition(page))
    names = {sample.name.partition("_")[0] for sample in samples}
    software = next((name for name in _SOFTWARE if name in names), None)
    if software is None:
        hint = "name HAProxy's socket or statistics page in `haproxy`"
        raise TelemetryError(f"has metrics, but none of Envoy, Traefik or Caddy; {hint}")
    numbers: defaultdict[tuple[str, str, str], defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    status: dict[tuple[str, str, str], str] = {}
    values = {sample.name: sample.value for sample in samples}
    for sample in samples:
        kind, column = _COLUMNS.get(sample.name, ("", ""))
        if kind == SERVER:
            address = sample.label("url", "upstream")
            host = address.partition("//")[2].partition("/")[0] or address
            key = sample.label("service") or "reverse_proxy", host, SERVER
            numbers[key]
            status[key] = "UP" if sample.value else "DOWN"
        elif kind:
            key = sample.label(*_PROXY), kind.upper(), kind
            code = sample.label(*_CLASS)[:1]
            if column:
                numbers[key][column] += sample.value
            if code and (not column or column == "req_tot"):
                numbers[key][f"hrsp_{code}xx"] += sample.value
            if column == "act":
                status[key] = "UP" if sample.value else "DOWN"
    rows = tuple(
        StatRow(*key, status.get(key, ""), {name: int(value) for name, value in row.items() if abs(value) < _INT64})
        for key, row in numbers.items()
    )
    return Page(software, rows, values.get("process_start_time_seconds"), values.get("envoy_server_uptime"))


@dataclass(slots=True)
class MetricsReader:
    """Read the page of one node repeatedly. Not thread-safe."""

    _source: HttpPage | Command
    _started_s: float | None = None

    def read(self, now_s: float, timeout_s: float = SCRAPE_S) -> tuple[Page, str]:
        """Return the page and the generation of its counters. The generation is empty if the start time is
        unknown."""
        answer = fetch(self._source, timeout_s=timeout_s)
        try:
            page = parse_page(answer)
        except TelemetryError as error:
            raise TelemetryError(f"{self._source} {error}") from error
        started_s = page.started_s
        if started_s is None and page.uptime_s is not None:
            started_s = now_s - page.uptime_s
        if started_s is not None and abs(started_s - (self._started_s or 0)) > _START_TOLERANCE_S:
            self._started_s = started_s
        return page, "" if self._started_s is None else f"{self._started_s:.0f}"
