"""The load, recorded: every `request` event becomes a row of the sample log and counts in the traffic of its second.

A row is in the file after the next `flush`, whatever becomes of the process then. The points of all seconds together
count every row once: who adds them up has the total to the last sample.

The recorder runs on the core that makes the load. So a good answer of a kind that was seen before takes a short way:
its kind is looked up, the rest waits in a tuple, and rows and traffic are made of many at a time. Everything else is
read at leisure by `request_event`; the bytes are the same.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from gevent import getcurrent
from geventhttpclient.header import Headers

from switchover.clock import Clock
from switchover.locust.attribution import Attribution
from switchover.locust.request_event import EventReader, RequestEvent, label_of, text_of
from switchover.locust.tally import GENERATOR, LABELS_LIMIT, Kind, KindRow, Tally
from switchover.points import format_point
from switchover.redaction import requested_url
from switchover.sample_rows import format_rows
from switchover.samples import SampleWriter, quote
from switchover.target import IdentitySettings

FLUSH_S = 0.2
"""How often the owner calls `flush`: what a kill -9 costs at most."""
USERS = "switchover_users"
BATCH = 64
"""Samples that wait to be recorded: together they run from warm caches, and hold the load up for a moment only."""
CACHE_LIMIT = 10_000
"""Kinds, labels, URLs and sessions remembered, of each."""
_THREAD = "switchover_thread"

T = TypeVar("T")

_field: Any = dict.get
"""The stored form of a header, name and value, past the accessors that would make a copy of it."""


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
        identity = settings.identity
        self._settings = settings
        self._clock = clock
        self._attribution = Attribution(identity)
        self._events = EventReader(self._attribution, clock)
        self._writer = SampleWriter(settings.path)
        self._tally = Tally(settings.run, settings.worker, settings.late_us)
        self._active = 1
        self._threads = 0
        self._redirects = 0
        self._user_points: list[str] = []
        self._backend = identity.backend_header.lower()
        self._balancer = identity.balancer_header.lower()
        self._time = identity.upstream_time_header.lower()
        self._sticky = bool(identity.sticky_cookie)
        self._waiting: list[KindRow] = []
        self._kinds: dict[Hashable, Kind] = {}
        self._labels: dict[Hashable, str] = {}
        self._urls: dict[str, str] = {}
        self._sessions: dict[Hashable, str] = {}

    def on_request(
        self,
        *,
        name: Any = "",
        response_time: object = None,
        response_length: Any = 0,
        response: Any = None,
        exception: object = None,
        start_time: object = None,
        url: Any = None,
        **_: object,
    ) -> None:
        """A listener for Locust's `request` event. Never raises and never waits."""
        key = None
        try:
            facts, headers = response.switchover_facts, response.headers
            if type(headers) is Headers:
                inner, fields = response._response, headers
                status, reason = inner.get_code(), inner.status_message
            else:
                fields = headers._store
                status, reason = response.status_code, response.reason
            time = _field(fields, self._time)
            key = (
                self._labels.get(name) or self._labels[name, url],
                status,
                reason,
                _field(fields, self._backend),
                _field(fields, self._balancer),
                None if time is None else time[1].rstrip(" \t").endswith("-"),
                facts.stream,
                facts.attempts,
            )
            start_us, latency_us, connect_us, sent_bytes = (
                facts.start_us,
                facts.latency_us,
                facts.connect_us,
                facts.sent_bytes,
            )
            took_us = facts.end_us - start_us
            # One negative number makes them all negative together.
            if (
                exception is None
                and not facts.legs
                and took_us | latency_us | connect_us | sent_bytes | response_length >= 0
            ):
                self._waiting.append(
                    (
                        self._kinds[key],
                        getcurrent().switchover_thread,
                        start_us,
                        took_us,
                        latency_us,
                        connect_us,
                        response_length,
                        sent_bytes,
                        self._urls.get(url) or self._address(url),
                        self._session(fields, response) if self._sticky else "",
                    )
                )
                if len(self._waiting) >= BATCH:
                    self._record_waiting()
                return
        except Exception:
            pass
        event = RequestEvent(name, response_time, response_length, response, exception, start_time, url)
        self._record(event, key)

    def users(self, active: int, at_us: int) -> None:
        """How many users there are in this process now."""
        self._record_waiting()
        self._active = active
        tags = {"generator": GENERATOR, "run": self._settings.run, "worker": self._settings.worker}
        self._user_points.append(format_point(USERS, tags, {"active": active}, at_us * 1000))

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
        return found

    def _record_waiting(self) -> None:
        if self._waiting:
            rows, self._waiting = self._waiting, []
            self._writer.write_rows(format_rows(rows, self._active))
            self._tally.add_rows(rows)

    def _record(self, event: RequestEvent, key: Hashable | None) -> None:
        samples = self._events.read(event, self._thread(), self._active)
        for sample in samples:
            self._writer.write(sample)
            self._tally.add(sample)
        self._redirects += len(samples) - 1
        if key is not None:
            _remember(self._kinds, key, self._tally.kind(samples[-1]))
        elif isinstance(event.name, str) and isinstance(event.url, str):
            label = label_of(event.name, event.url)
            chosen = requested_url(event.name) == event.name
            _remember(self._labels, event.name if chosen else (event.name, event.url), label)

    def _thread(self) -> str:
        """The user, by its greenlet: numbered in the order of their first requests."""
        greenlet = getcurrent()
        name = getattr(greenlet, _THREAD, None)
        if name is None:
            self._threads += 1
            worker = self._settings.worker
            name = f"{worker}-user-{self._threads}" if worker else f"user-{self._threads}"
            setattr(greenlet, _THREAD, name)
        return str(name)

    def _address(self, url: str) -> str:
        return _remember(self._urls, url, quote(requested_url(text_of(url))))

    def _session(self, fields: Any, response: Any) -> str:
        sent = response.request.headers
        cookies = _field(fields, "set-cookie"), _field(sent if type(sent) is Headers else sent._store, "cookie")
        session = self._sessions.get(cookies)
        if session is None:
            session = _remember(self._sessions, cookies, self._attribution.session(response))
        return session


def _remember(cache: dict[Any, Any], key: Hashable, value: T) -> T:
    if len(cache) >= CACHE_LIMIT:
        cache.clear()
    cache[key] = value
    return value
