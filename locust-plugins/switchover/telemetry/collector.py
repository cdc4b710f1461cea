"""Scrape every source of a target into the journal: one thread per source, on a fixed schedule. A slow source delays
only its own thread. Each failed scrape is recorded with its duration."""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from switchover.http.timestamps import PacketStamps
from switchover.model.clock import Clock
from switchover.model.errors import TelemetryError
from switchover.process.groups import COMMANDS
from switchover.rundir.journal import Journal
from switchover.rundir.measurements import SCRAPE
from switchover.target.model import Target
from switchover.telemetry.advert import AdvertSource
from switchover.telemetry.balancers import STATE_SOURCES
from switchover.telemetry.fetch import SCRAPE_S
from switchover.telemetry.health import Health, defect
from switchover.telemetry.keepalived import OwnershipLog
from switchover.telemetry.ownership import AddressSource, FifoSource, sources_of
from switchover.telemetry.processes import STAT
from switchover.telemetry.scrapers import Scraper, local_scraper, machine_scraper, scrapers_of


def next_due_s(begin_s: float, period_s: float, now_s: float) -> float:
    """Return the next scheduled time of a source after `now_s`. Scheduled times that have passed are skipped."""
    return begin_s + max(math.floor((now_s - begin_s) / period_s) + 1, 0) * period_s


@dataclass
class ScheduledSource:
    """A source that is scraped at the start, then on schedule, and on request. `run` blocks the calling thread."""

    _scraper: Scraper
    _journal: Journal
    _clock: Clock
    _period_s: float
    _stop: threading.Event
    _has_worked: bool = False

    def __post_init__(self) -> None:
        self._health = Health(self._journal, self._clock, self._scraper.node, self._scraper.source)
        self._lock = threading.Lock()

    @property
    def is_lost(self) -> bool:
        """True if the source identifies a balancer's process, answered before, and did not answer the last scrape."""
        return self._scraper.source in STATE_SOURCES and self._has_worked and self._health.failing

    def run(self, begin: float) -> None:
        due = begin
        while not self._stop.wait(max(due - time.monotonic(), 0)):
            self.scrape_now()
            due = next_due_s(begin, self._period_s, time.monotonic())

    def scrape_now(self) -> None:
        """Wait until a scrape in progress has ended, then scrape, unless the collector stops."""
        with self._lock:
            if not self._stop.is_set():
                self._scrape()

    def _scrape(self) -> None:
        sent_ns = self._clock.now_ns()
        text, readings = "", []
        try:
            readings = self._scraper.scrape(sent_ns)
        except Exception as error:
            # A bug in this reader must not end the thread. Otherwise no more scrapes would be recorded in the run.
            text = str(error) if isinstance(error, TelemetryError) else defect(error)
            self._health.failed(text)
        else:
            self._health.works()
            self._has_worked = True
        duration_ms = (self._clock.now_ns() - sent_ns) / 1e6
        for reading in readings:
            self._journal.write(reading.measurement, reading.tags, reading.fields, sent_ns)
        self._journal.write(
            SCRAPE,
            {"node": self._scraper.node, "source": self._scraper.source},
            {"duration_ms": duration_ms, "ok": not text, "rows": len(readings), "text": text},
            sent_ns,
        )


GENERATOR = "client"
"""The node name of the load generator."""
MACHINE_PERIOD_S = 1.0
_GRACE_S = 1.0
"""The extra time, in seconds, that a busy machine may need to detect the timeout of a source."""


class Collector:
    """The threads of all sources. One thread calls `start` once and `stop` once."""

    def __init__(self, target: Target, journal: Journal, clock: Clock, interval_s: float = 1.0) -> None:
        self._stop = threading.Event()
        self._pids: dict[str, int] = {}
        self.ownership = OwnershipLog(journal, target.endpoint.host, target.nodes)
        self._journal = journal
        self._clock = clock
        self._interval_s = interval_s
        self._scrapers = [scraper for node in target.nodes for scraper in scrapers_of(node, clock)]
        self._sources: list[ScheduledSource] = []
        self._owner_watchers = [source for node in target.nodes for source in sources_of(node, self.ownership, clock)]
        self._watchers: list[FifoSource | AddressSource | AdvertSource] = [*self._owner_watchers]
        if PacketStamps.available() and any(node.vip_owner for node in target.balancers):
            self._watchers.append(AdvertSource(target.balancers, target.endpoint.host, journal, clock))
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Start all threads. The first scrapes are made immediately. Further scrapes follow at each source's
        interval."""
        for scraper in self._scrapers:
            self._scrape(scraper, self._interval_s * scraper.every)
        if STAT.exists():
            self._scrape(machine_scraper(GENERATOR, self._pids), MACHINE_PERIOD_S)
        for watcher in self._watchers:
            self._threads.append(_start(watcher.run, self._stop))

    def scrape_now(self) -> None:
        """Scrape every source, and return when all sources have answered, failed or timed out. The first call also
        waits for the first state from the sources of ownership and adverts."""
        limit = time.monotonic() + 2 * SCRAPE_S + _GRACE_S
        for thread in [_start(ScheduledSource.scrape_now, source) for source in self._sources]:
            thread.join(max(limit - time.monotonic(), 0))
        for watcher in self._watchers:
            watcher.ready.wait(max(limit - time.monotonic(), 0))

    @property
    def is_balancer_lost(self) -> bool:
        """True if any balancer answered a scrape before, and did not answer its last scrape."""
        return any(source.is_lost for source in self._sources)

    def stop(self) -> None:
        """Stop all threads and commands, within the timeout of a source. A second call does nothing."""
        self._stop.set()
        limit = time.monotonic() + SCRAPE_S + _GRACE_S
        for thread in self._threads:
            thread.join(max(limit - time.monotonic(), 0))
        COMMANDS.close()

    def failing_sources(self) -> list[str]:
        """Return the nodes whose ownership sources fail now, each with the reason of the failure."""
        states = [watcher.health for watcher in self._owner_watchers]
        return [f"{health.node}: {health.reason}" for health in states if health.failing]

    def watch(self, name: str, pid: int) -> None:
        """Start to record the CPU time and memory of a process of this machine. Call this method after `start()`."""
        self._pids[name] = pid
        if len(self._pids) == 1:
            self._scrape(local_scraper(GENERATOR, self._pids), self._interval_s)

    def _scrape(self, scraper: Scraper, period_s: float) -> None:
        source = ScheduledSource(scraper, self._journal, self._clock, period_s, self._stop)
        self._sources.append(source)
        self._threads.append(_start(source.run, time.monotonic()))


def _start(work: Callable[..., None], argument: object) -> threading.Thread:
    thread = threading.Thread(target=work, args=(argument,), name="telemetry", daemon=True)
    thread.start()
    return thread
