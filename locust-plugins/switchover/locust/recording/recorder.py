"""The load, recorded: every `request` event becomes a row of the sample log and counts in the traffic of its second.

A row is in the file after the next `flush`, whatever becomes of the process then. The points of all seconds together
count every row once: who adds them up has the total to the last sample.

The recorder runs on the core that makes the load. So a good answer of a kind that was seen before takes a short way:
its kind is looked up, the rest waits in a tuple, and rows and traffic are made of many at a time. Everything else is
read at leisure by `request_event`; the bytes are the same.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gevent import getcurrent
from geventhttpclient.header import Headers

from switchover.locust.recording.attribution import Attribution, Told, field_of
from switchover.locust.recording.request_event import EventReader, RequestEvent, sample_of
from switchover.locust.recording.sample_kinds import Kinds, Waiting
from switchover.locust.recording.traffic_count import GENERATOR, LABELS_LIMIT, Tally
from switchover.locust.recording.user_threads import UserThreads
from switchover.model.clock import Clock
from switchover.model.identity import IdentitySettings
from switchover.rundir.measurements import USERS
from switchover.rundir.points import format_fields, format_series
from switchover.rundir.sample_log import Sample, SampleWriter

FLUSH_S = 0.2
"""How often the owner calls `flush`: what a kill -9 costs at most."""
BATCH = 128
"""Samples that wait to be recorded. Together they run from warm caches, at a third of the cost of one at a time, and
hold the load up for half a millisecond."""


@dataclass(frozen=True, slots=True)
class RecorderSettings:
    path: Path
    """The sample log, created if it is not there."""
    run: str
    worker: str
    """Empty in a single process."""
    identity: IdentitySettings
    late_us: int
    """What a good request may take without being called late."""


@dataclass(frozen=True, slots=True)
class RecorderTotals:
    """What was recorded so far, in rows of the sample log."""

    samples: int
    """Rows: the samples and the redirects on the way to them."""
    redirects: int
    failed: int
    late: int
    resends: int
    """Requests that went out again behind the back of the test."""
    lost: int
    """Rows that a full disk has cost."""


class Recorder:
    """The owner calls `flush` every `FLUSH_S` and `take_points` every second or so. Not thread-safe.

    A full disk never raises: `totals.lost` counts the rows and `warnings` says why.
    """

    def __init__(self, settings: RecorderSettings, clock: Clock) -> None:
        self._clock = clock
        self._attribution = Attribution(settings.identity)
        self._events = EventReader(self._attribution, clock)
        self._writer = SampleWriter(settings.path)
        self._tally = Tally(settings.run, settings.worker, settings.late_us)
        self._active = 1
        self._threads = UserThreads(settings.worker)
        self._redirects = 0
        self._misread = ""
        self._user_points: list[str] = []
        tags = {"generator": GENERATOR, "run": settings.run, "worker": settings.worker}
        self._users_series = format_series(USERS, tags)
        self._waiting: list[Waiting] = []
        self._header_names = self._attribution.header_names
        self._kinds = Kinds(self._attribution, self._tally, settings.late_us)
        self._told = self._attribution.told
        self._session = self._attribution.session if settings.identity.sticky_cookie else None

    def on_request(
        self,
        *,
        request_type: object = None,
        name: Any = "",
        response_time: object = None,
        response_length: Any = 0,
        response: Any = None,
        context: object = None,
        exception: object = None,
        start_time: object = None,
        url: Any = None,
        **_: object,
    ) -> None:
        """A listener for Locust's `request` event. Never raises and never waits.

        It names all that Locust tells: a keyword without a name here is compared with every name, which takes 0.5 µs.
        """
        if exception is None:
            try:
                facts, headers = response.switchover_facts, response.headers
                if facts.legs:
                    raise LookupError("the redirects are samples, too")
                backend, balancer, time = self._header_names
                if type(headers) is Headers and field_of(headers, time) is None:
                    # What `told` does for FastHttpUser, without the call.
                    answer = response._response
                    told: Told = (
                        answer.get_code(),
                        answer.status_message,
                        field_of(headers, backend),
                        field_of(headers, balancer),
                        None,
                    )
                else:
                    told = self._told(response)
                session = self._session(response) if self._session else ""
                waiting = self._waiting
                waiting.append((name, url, response_length, facts, facts.end_us, told, session, getcurrent()))
            except Exception:
                pass  # not one of our clients
            else:
                if len(waiting) >= BATCH:
                    self._record_waiting()
                return
        event = RequestEvent(name, response_time, response_length, response, exception, start_time, url)
        thread = self._threads.name(getcurrent())
        try:
            samples = self._events.read(event, thread, self._active)
        except Exception as error:
            samples = [self._bare(event, thread, error)]
        self._redirects += len(samples) - 1
        for sample in samples:
            self._record(sample)

    def users(self, active: int, at_us: int) -> None:
        """How many users there are in this process now."""
        if active != self._active:
            self._record_waiting()
            self._active = active
        self._user_points.append(f"{self._users_series} {format_fields({'active': active})} {at_us * 1000}")

    def flush(self) -> None:
        """Everything recorded so far is handed to the operating system."""
        self._events.read_wall_clock()
        self._record_waiting()
        self._writer.flush()

    def take_points(self, end: bool = False) -> list[str]:
        """The lines of the seconds that have ended and were not told yet, or not with this total; at the end, all."""
        self._record_waiting()
        lines, self._user_points = self._user_points, []
        now_us = self._clock.now_us()
        return lines + self._tally.take_points(now_us + 1_000_000 if end else now_us)

    def close(self) -> None:
        self.flush()
        self._writer.close()

    @property
    def totals(self) -> RecorderTotals:
        self._record_waiting()
        tally = self._tally
        return RecorderTotals(
            tally.samples, self._redirects, tally.failed, tally.late, tally.resends, lost=self._writer.lost
        )

    @property
    def warnings(self) -> list[str]:
        found = []
        if self._writer.warning is not None:
            found.append(self._writer.warning)
        if self._attribution.names_overflowed:
            found.append("more than 256 names of backends or balancers: the rest are called other")
        if self._tally.labels_overflowed:
            found.append(
                f"more than {LABELS_LIMIT} names of requests: the traffic calls the rest other; "
                "group them with name= where the URL varies"
            )
        if self._misread:
            found.append(f"not all of every sample could be read: {self._misread}")
        return found

    def _record_waiting(self) -> None:
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            self._writer.write_rows(self._kinds.record(waiting, self._active, self._record_odd))

    def _record_odd(self, one: Waiting) -> None:
        """A good sample that something keeps from being a row among others."""
        name, url, nbytes, facts, end_us, told, session, greenlet = one
        event = RequestEvent(name, None, nbytes, None, None, None, url)
        thread, users = self._threads.name(greenlet), self._active
        try:
            answer = self._attribution.answer(told)
            start_us = min(facts.start_us, end_us)
            sample = sample_of(event, facts, start_us, end_us, answer, session, thread, users)
        except Exception as error:
            sample = self._bare(event, thread, error)
        self._record(sample)

    def _bare(self, event: RequestEvent, thread: str, error: Exception) -> Sample:
        self._misread = self._misread or f"{type(error).__name__}: {error}"
        return self._events.bare(event, thread, self._active)

    def _record(self, sample: Sample) -> None:
        self._writer.write(sample)
        self._tally.add(sample)
