"""One scrape of one source, as points. Each kind of source has its scraper; the collector runs them on schedule."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from switchover.model.clock import Clock
from switchover.model.errors import TelemetryError
from switchover.rundir.measurements import HAPROXY, HAPROXY_INFO, MACHINE, NGINX, PROCESS, PROXY
from switchover.rundir.points import FieldValue
from switchover.target.model import Node
from switchover.target.telemetry_sources import Command, HttpPage, Source
from switchover.telemetry import exporters
from switchover.telemetry.exporters import MetricsReader
from switchover.telemetry.fetch import TIMEOUT_S, fetch
from switchover.telemetry.haproxy import HaproxyReader, Snapshot, StatRow
from switchover.telemetry.nginx import read_status
from switchover.telemetry.processes import (
    MachineMeter,
    ProcessCpuMeter,
    ProcessReading,
    parse_processes,
    read_local,
    read_machine,
    read_wait_ms,
)

_LIMIT_BYTES = 1024 * 1024
PROBER = "prober"
"""The name under which the prober's process is watched."""
PROCESSES_EVERY = 5
"""Reading a node's processes means starting some there, which costs tens of milliseconds of CPU."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A point that is still without its time."""

    measurement: str
    tags: Mapping[str, str]
    fields: Mapping[str, FieldValue] = field(default_factory=dict)


class Scraper(Protocol):
    """`scrape` raises TelemetryError if the source gives nothing usable; one thread at a time."""

    node: str
    source: str
    every: int
    """How many of the collector's intervals lie between two scrapes."""

    def scrape(self, sent_ns: int) -> list[Reading]: ...


def scrapers_of(node: Node, clock: Clock) -> list[Scraper]:
    """The scrapers for what the target file says of a node."""
    found: list[Scraper] = []
    if node.haproxy is not None:
        found.append(HaproxyScraper(node.name, node.haproxy))
    if node.nginx is not None:
        found.append(NginxScraper(node.name, node.nginx))
    if node.metrics is not None:
        found.append(MetricsScraper(node, node.metrics))
    if node.processes is not None:
        found.append(ProcessScraper(node.name, node.processes, clock))
    return found


class HaproxyScraper:
    def __init__(self, node: str, source: Source) -> None:
        self.node = node
        self.source = "haproxy"
        self.every = 1
        self._reader = HaproxyReader(source)

    def scrape(self, sent_ns: int) -> list[Reading]:
        return self.readings(self._reader.read(sent_ns / 1e9))

    def readings(self, snapshot: Snapshot) -> list[Reading]:
        readings = [_row(HAPROXY, {"node": self.node}, row, snapshot.generation) for row in snapshot.rows]
        if snapshot.info:
            readings.append(Reading(HAPROXY_INFO, {"node": self.node}, snapshot.info))
        return readings


class NginxScraper:
    def __init__(self, node: str, source: HttpPage | Command) -> None:
        self.node = node
        self.source = "nginx"
        self.every = 1
        self._page = source

    def scrape(self, sent_ns: int) -> list[Reading]:
        status = read_status(self._page, TIMEOUT_S)
        fields = {name: getattr(status, name) for name in status.__slots__}
        return [Reading(NGINX, {"node": self.node}, fields)]


class MetricsScraper:
    """HAProxy's exporter gives the same points as HAProxy's statistics; Envoy and Traefik have a measurement of their
    own, for they count by rules of their own."""

    def __init__(self, node: Node, source: HttpPage | Command) -> None:
        self.node = node.name
        self.source = "metrics"
        self.every = 1
        self._has_statistics = node.haproxy is not None
        self._reader = MetricsReader(source)

    def scrape(self, sent_ns: int) -> list[Reading]:
        page, generation = self._reader.read(sent_ns / 1e9)
        is_haproxy = page.software == exporters.HAPROXY
        if is_haproxy and self._has_statistics:
            raise TelemetryError("tells what the node's `haproxy` tells already: leave one of the two out")
        measurement = HAPROXY if is_haproxy else PROXY
        software = {} if is_haproxy else {"software": page.software}
        return [_row(measurement, {"node": self.node, **software}, row, generation) for row in page.rows]


def _row(measurement: str, tags: Mapping[str, str], row: StatRow, generation: str) -> Reading:
    """No field `type` beside the tag: InfluxDB 1 and 2 take the one for the other in queries, 3 refuses both."""
    numbers = {name: value for name, value in row.numbers.items() if name != "type"}
    return Reading(
        measurement,
        {**tags, "proxy": row.proxy, "server": row.server, "type": row.type},
        {**numbers, "status": row.status, "generation": generation},
    )


class ProcessScraper:
    """A node's processes, by a command."""

    def __init__(self, node: str, source: Command, clock: Clock) -> None:
        self.node = node
        self.source = "processes"
        self.every = PROCESSES_EVERY
        self._command = source
        self._clock = clock
        self._meter = ProcessCpuMeter()

    def scrape(self, sent_ns: int) -> list[Reading]:
        answer = fetch(self._command, None, TIMEOUT_S, _LIMIT_BYTES, background=True)
        text = answer.decode("utf-8", "replace")
        # The files were read between sending and now; the middle halves the error.
        return _process_readings(self.node, parse_processes(text), self._meter, (sent_ns + self._clock.now_ns()) // 2)


class LocalScraper:
    """Processes of this machine, the load generator's own."""

    def __init__(self, node: str, pids: Mapping[str, int]) -> None:
        self.node = node
        self.source = "processes"
        self.every = 1
        self._pids = pids
        self._meter = ProcessCpuMeter()

    def scrape(self, sent_ns: int) -> list[Reading]:
        return _process_readings(self.node, read_local(dict(self._pids)), self._meter, sent_ns)


class MachineScraper:
    """This machine's processors, and how long its prober waited for one."""

    def __init__(self, node: str, pids: Mapping[str, int]) -> None:
        self.node = node
        self.source = "machine"
        self.every = 1
        self._pids = pids
        self._meter = MachineMeter()

    def scrape(self, sent_ns: int) -> list[Reading]:
        pid = self._pids.get(PROBER)
        by_processor = self._meter.fields(read_machine(), None if pid is None else read_wait_ms(pid))
        return [
            Reading(MACHINE, {"node": self.node, "processor": name}, fields) for name, fields in by_processor.items()
        ]


def _process_readings(node: str, reading: ProcessReading, meter: ProcessCpuMeter, at_ns: int) -> list[Reading]:
    readings = []
    for use in meter.uses(reading.processes, at_ns):
        fields: dict[str, FieldValue] = {"rss_bytes": use.rss_bytes}
        if use.cpu_percent is not None:
            fields["cpu_percent"] = use.cpu_percent
        if reading.load1 is not None:
            fields["load1"] = reading.load1
        readings.append(Reading(PROCESS, {"node": node, "process": use.name}, fields))
    return readings
