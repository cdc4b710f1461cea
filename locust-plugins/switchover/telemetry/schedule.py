"""The thread of one source: scrapes on a grid of times that does not drift, and whenever it is asked to."""

import math
import threading
import time
from dataclasses import dataclass

from switchover.model.clock import Clock
from switchover.model.errors import TelemetryError
from switchover.rundir.journal import Journal
from switchover.rundir.measurements import SCRAPE
from switchover.telemetry.balancers import STATE_SOURCES
from switchover.telemetry.health import Health, defect
from switchover.telemetry.scrapers import Scraper


@dataclass(frozen=True, slots=True)
class ScrapeTimes:
    """Every `period_s`, the first time `phase_s` after the beginning."""

    period_s: float
    phase_s: float = 0.0

    def next_after(self, now: float, begin: float) -> float:
        """The next time on the grid: no drift, and what was missed is left out."""
        first = begin + self.phase_s
        return first + max(math.floor((now - first) / self.period_s) + 1, 0) * self.period_s


class ScheduledSource:
    """Scrapes at once, then as scheduled, and when asked. `run` is for its thread, the rest for any."""

    def __init__(
        self, scraper: Scraper, journal: Journal, clock: Clock, times: ScrapeTimes, stop: threading.Event
    ) -> None:
        self._scraper = scraper
        self._journal = journal
        self._clock = clock
        self._times = times
        self._stop = stop
        self._health = Health(journal, clock, scraper.node, scraper.source)
        self._turn = threading.Condition()
        self._asked = 0
        self._answered = 0
        self._has_worked = False

    @property
    def is_lost(self) -> bool:
        """It shows which process of a balancer answers, and none does that did."""
        return self._scraper.source in STATE_SOURCES and self._has_worked and self._health.failing

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
            self._scrape()
            with self._turn:
                self._answered = ticket
                self._turn.notify_all()
            due = self._times.next_after(time.monotonic(), begin)

    def _scrape(self) -> None:
        sent_ns = self._clock.now_ns()
        text = ""
        readings = []
        try:
            readings = self._scraper.scrape(sent_ns)
        except TelemetryError as error:
            text = str(error)
            self._health.failed(text)
        except Exception as error:
            # A defect of this reader must not end its thread: it would be silent for the rest of the run.
            text = defect(error)
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
