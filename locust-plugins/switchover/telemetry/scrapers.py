"""Scrape sources, and return the results as points without a time."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from switchover.model.clock import Clock
from switchover.model.errors import TelemetryError
from switchover.rundir.measurements import HAPROXY, HAPROXY_INFO, MACHINE, NGINX, PROCESS, PROXY
from switchover.rundir.points import FieldValue
from switchover.target.model import Node
from switchover.target.telemetry_sources import Command, HttpPage, Source
from switchover.telemetry.exporters import MetricsReader
from switchover.telemetry.fetch import SCRAPE_S, fetch
from switchover.telemetry.haproxy import HaproxyReader, Snapshot, StatRow
from switchover.telemetry.processes import (
    MachineMeter,
    ProcessCpuMeter,
    ProcessReading,
    parse_processes,
    read_local,
    read_machine,
    read_wait_ms,
)

_N = r"(\d{1,18})"
_PAGE = re.compile(
    rf"\s*Active connections:\s*{_N}\s+server accepts handled requests[^\n]*\n"
    rf"\s*{_N}\s+{_N}\s+{_N}[^\n]*\n"
    rf"\s*Reading:\s*{_N}\s+Writing:\s*{_N}\s+Waiting:\s*{_N}[ \r]*\n\s*",
    re.ASCII,
)


NGINX_NUMBERS = ("active", "accepts", "handled", "requests", "reading", "writing", "waiting")
"""The numbers of ngx_http_stub_status_module, in the order of the page."""


def parse_status(page: bytes) -> dict[str, int]:
    """Parse the seven numbers of the page, which must end with a newline. Tengine's eighth number is ignored."""
    match = _PAGE.fullmatch(page.decode("utf-8", "replace"))
    if match is None:
        raise TelemetryError("answered something that is not a stub_status page")
    return dict(zip(NGINX_NUMBERS, map(int, match.groups()), strict=True))


def read_status(source: HttpPage | Command, timeout_s: float = SCRAPE_S) -> dict[str, int]:
    page = fetch(source, None, timeout_s, _LIMIT_BYTES)
    try:
        return parse_status(page)
    except TelemetryError as error:
        raise TelemetryError(f"{source} {error}") from error


_LIMIT_BYTES = 1024 * 1024
PROBER = "prober"
PROCESSES_EVERY = 5
"""The number of intervals between two reads of a node's processes. A read takes tens of ms of the node's CPU time."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A point without its time."""

    measurement: str
    tags: Mapping[str, str]
    fields: Mapping[str, FieldValue] = field(default_factory=dict)


Scrape = Callable[[int], list[Reading]]
"""A function that scrapes a source at the given time in ns. Raises TelemetryError if the source gives no usable
answer."""


@dataclass(frozen=True, slots=True)
class Scraper:
    """The scraper of one source."""

    node: str
    source: str
    scrape: Scrape
    every: int = 1
    """The number of collector intervals between two scrapes."""


def scrapers_of(node: Node, clock: Clock) -> list[Scraper]:
    """Return the scrapers for a node's sources in the target file."""
    scrapers = [balancer_scraper(node, key, SCRAPE_S) for key in BALANCER_SCRAPES if getattr(node, key) is not None]
    if node.processes is not None:
        scrapers.append(_process_scraper(node.name, node.processes, clock))
    return scrapers


def balancer_scraper(node: Node, key: str, timeout_s: float) -> Scraper:
    """Return the scraper of a node's balancer. `key`: the key in `[[node]]` that names the source."""
    return Scraper(node.name, key, BALANCER_SCRAPES[key](node.name, getattr(node, key), timeout_s))


def _scrape_haproxy(node: str, source: Source, timeout_s: float) -> Scrape:
    reader = HaproxyReader(source)
    return lambda sent_ns: haproxy_readings(node, reader.read(sent_ns / 1e9, timeout_s))


def haproxy_readings(node: str, snapshot: Snapshot) -> list[Reading]:
    readings = [_row(HAPROXY, {"node": node}, row, snapshot.generation) for row in snapshot.rows]
    return [*readings, Reading(HAPROXY_INFO, {"node": node}, snapshot.info)] if snapshot.info else readings


def _scrape_nginx(node: str, page: HttpPage | Command, timeout_s: float) -> Scrape:
    return lambda _: [Reading(NGINX, {"node": node}, read_status(page, timeout_s))]


def _scrape_metrics(node: str, source: HttpPage | Command, timeout_s: float) -> Scrape:
    """Scrape an Envoy, Traefik or Caddy. The counters of these balancers differ from HAProxy's counters."""
    reader = MetricsReader(source)

    def scrape(sent_ns: int) -> list[Reading]:
        page, generation = reader.read(sent_ns / 1e9, timeout_s)
        tags = {"node": node, "software": page.software}
        return [_row(PROXY, tags, row, generation) for row in page.rows]

    return scrape


BALANCER_SCRAPES: Mapping[str, Callable[[str, Any, float], Scrape]] = {
    "haproxy": _scrape_haproxy,
    "nginx": _scrape_nginx,
    "metrics": _scrape_metrics,
}
"""The function that scrapes each type of balancer; the key is the source's key in `[[node]]`."""


def _row(measurement: str, tags: Mapping[str, str], row: StatRow, generation: str) -> Reading:
    """Return a row as a point without the field `type`. InfluxDB 3 refuses a field with the name of a tag."""
    numbers = {name: value for name, value in row.numbers.items() if name != "type"}
    return Reading(
        measurement,
        {**tags, "proxy": row.proxy, "server": row.server, "type": row.type},
        {**numbers, "status": row.status, "generation": generation},
    )


def _process_scraper(node: str, command: Command, clock: Clock) -> Scraper:
    meter = ProcessCpuMeter()

    def scrape(sent_ns: int) -> list[Reading]:
        text = fetch(command, None, SCRAPE_S, _LIMIT_BYTES, background=True).decode("utf-8", "replace")
        # The files were read between sending and now. The middle halves the error.
        return _process_readings(node, parse_processes(text), meter, (sent_ns + clock.now_ns()) // 2)

    return Scraper(node, "processes", scrape, PROCESSES_EVERY)


def local_scraper(node: str, pids: Mapping[str, int]) -> Scraper:
    """Return the scraper of processes on this machine, which is the load generator."""
    meter = ProcessCpuMeter()
    return Scraper(node, "processes", lambda sent_ns: _process_readings(node, read_local(dict(pids)), meter, sent_ns))


def machine_scraper(node: str, pids: Mapping[str, int]) -> Scraper:
    """Return the scraper of this machine's processors, and of the prober's waiting time for a processor."""
    meter = MachineMeter()

    def scrape(_: int) -> list[Reading]:
        pid = pids.get(PROBER)
        by_processor = meter.fields(read_machine(), None if pid is None else read_wait_ms(pid))
        return [Reading(MACHINE, {"node": node, "processor": name}, fields) for name, fields in by_processor.items()]

    return Scraper(node, "machine", scrape)


def _process_readings(node: str, reading: ProcessReading, meter: ProcessCpuMeter, at_ns: int) -> list[Reading]:
    by_name = meter.fields(reading, at_ns)
    return [Reading(PROCESS, {"node": node, "process": name}, fields) for name, fields in by_name.items()]
