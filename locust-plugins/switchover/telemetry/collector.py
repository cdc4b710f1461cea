"""Scrapes every source of a target into the journal: one thread per source, on a fixed schedule.

A source that is slow or gone costs its own thread and nobody else: its scrapes fail one by one, each with its
duration, and the ones that would have overlapped are left out.
"""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from switchover.clock import Clock
from switchover.errors import TelemetryError
from switchover.journal import Journal
from switchover.sources import Fifo
from switchover.target import Node, Target
from switchover.telemetry.health import Health
from switchover.telemetry.keepalived import Ownership
from switchover.telemetry.leash import Leash
from switchover.telemetry.scrapers import LocalScraper, Scraper, scrapers_of
from switchover.telemetry.transport import TIMEOUT_S
from switchover.telemetry.witness import AddressWitness, FifoWitness, Witness

T = TypeVar("T")

GENERATOR = "client"
"""The node name of the machine that makes the load."""
_GRACE_S = 1.0
"""On top of a source's own time-out, for a busy machine to notice it."""


class Collector:
    """Started once, stopped once. For one thread; `holders` for any."""

    def __init__(self, target: Target, journal: Journal, clock: Clock, interval_s: float = 1.0) -> None:
        self._leash = Leash()
        self._stop = threading.Event()
        self._pids: dict[str, int] = {}
        self._ownership = Ownership(journal, target.endpoint.host)
        self._schedule = lambda scraper: _ScheduledSource(scraper, journal, clock, interval_s, self._stop)
        scrapers = [scraper for node in target.nodes for scraper in scrapers_of(node, clock, self._leash)]
        self._sources = [self._schedule(scraper) for scraper in scrapers]
        self._witnesses: list[Witness] = []
        for node in target.nodes:
            self._witnesses += self._witnesses_of(node, target.endpoint.host, journal, clock)
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Start all threads. The first scrapes are made at once, the others an interval apart."""
        for source in self._sources:
            self._run(source.run, time.monotonic())
        for witness in self._witnesses:
            self._run(witness.run, self._stop)

    def scrape_now(self) -> None:
        """One more scrape of every source, at once; returns when all have answered, failed or timed out.

        The first call also waits for the witnesses' first word.
        """
        limit = time.monotonic() + 2 * TIMEOUT_S + _GRACE_S
        wanted = [(source, source.ask()) for source in self._sources]
        for source, ticket in wanted:
            source.wait(ticket, limit)
        for witness in self._witnesses:
            witness.ready.wait(max(limit - time.monotonic(), 0))

    def stop(self) -> None:
        """End all threads and commands, within a source's time-out. A second call does nothing."""
        self._stop.set()
        for source in self._sources:
            source.wake()
        limit = time.monotonic() + TIMEOUT_S + _GRACE_S
        for thread in self._threads:
            thread.join(max(limit - time.monotonic(), 0))
        self._leash.close()

    def holders(self) -> frozenset[str]:
        """The nodes that hold the virtual address now, by their ownership witnesses."""
        return self._ownership.holders()

    def watch(self, name: str, pid: int) -> None:
        """From now on record CPU and memory of a process of this machine. After `start()`."""
        self._pids[name] = pid
        if len(self._pids) == 1:
            source = self._schedule(LocalScraper(GENERATOR, self._pids))
            self._sources.append(source)
            self._run(source.run, time.monotonic())

    def _run(self, work: Callable[[T], None], argument: T) -> None:
        thread = threading.Thread(target=work, args=(argument,), name="telemetry", daemon=True)
        thread.start()
        self._threads.append(thread)

    def _witnesses_of(self, node: Node, vip_host: str, journal: Journal, clock: Clock) -> list[Witness]:
        found: list[Witness] = []
        for source in node.vip_owner:
            health = Health(journal, clock, node.name, "vip_owner")
            if isinstance(source, Fifo):
                found.append(FifoWitness(node, source, self._ownership, clock, health))
            else:
                found.append(AddressWitness(node, source, vip_host, self._ownership, clock, self._leash, health))
        return found


class _ScheduledSource:
    """The thread of one source: scrapes at begin, begin + interval, …, and whenever it is asked to."""

    def __init__(
        self, scraper: Scraper, journal: Journal, clock: Clock, interval_s: float, stop: threading.Event
    ) -> None:
        self._scraper = scraper
        self._journal = journal
        self._clock = clock
        self._interval_s = interval_s
        self._stop = stop
        self._health = Health(journal, clock, scraper.node, scraper.source)
        self._turn = threading.Condition()
        self._asked = 0
        self._answered = 0

    def ask(self) -> int:
        """Ask for a scrape that begins after this call; the ticket to wait for it with."""
        with self._turn:
            self._asked += 1
            self._turn.notify_all()
            return self._asked

    def wait(self, ticket: int, limit: float) -> None:
        """Until the scrape was made, or `limit` on the monotonic clock, or the collector stops."""
        with self._turn:
            while self._answered < ticket and not self._stop.is_set() and (left := limit - time.monotonic()) > 0:
                self._turn.wait(left)

    def wake(self) -> None:
        with self._turn:
            self._turn.notify_all()

    def run(self, begin: float) -> None:
        due = begin
        while not self._stop.is_set():
            with self._turn:
                while self._asked == self._answered and (left := due - time.monotonic()) > 0:
                    if self._stop.is_set():
                        return
                    self._turn.wait(left)
                ticket = self._asked
            scheduled = time.monotonic() >= due
            self._scrape()
            with self._turn:
                self._answered = ticket
                self._turn.notify_all()
            if scheduled:
                # Whole intervals from the beginning: no drift, and what is missed by now is left out.
                due = begin + (int((time.monotonic() - begin) / self._interval_s) + 1) * self._interval_s

    def _scrape(self) -> None:
        sent_ns = self._clock.now_ns()
        text = ""
        readings = []
        try:
            readings = self._scraper.scrape(sent_ns)
        except TelemetryError as error:
            text = str(error)
            self._health.failed(text)
        else:
            self._health.works()
        duration_ms = (self._clock.now_ns() - sent_ns) / 1e6
        for reading in readings:
            self._journal.write(reading.measurement, reading.tags, reading.fields, sent_ns)
        self._journal.write(
            "switchover_scrape",
            {"node": self._scraper.node, "source": self._scraper.source},
            {"duration_ms": duration_ms, "ok": not text, "rows": len(readings), "text": text},
            sent_ns,
        )
