"""The load, recorded: every `request` event becomes a row of the sample log and counts in the traffic of its second.

A row is in the file after the next `flush`, whatever becomes of the process then. The points of all seconds together
count every row once: who adds them up has the total to the last sample.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gevent import getcurrent

from switchover.clock import Clock
from switchover.failure import FailureKind
from switchover.identity import OTHER, clean
from switchover.locust.attribution import Attribution
from switchover.locust.request_facts import FACTS, Leg, RequestFacts
from switchover.points import format_point
from switchover.redaction import public_message, requested_url
from switchover.samples import MAX_US, Sample, SampleWriter
from switchover.target import IdentitySettings
from switchover.traffic import Traffic

FLUSH_S = 0.2
"""How often the owner calls `flush`: what a kill -9 costs at most."""
REQUESTS = "switchover_requests"
USERS = "switchover_users"
GENERATOR = "locust"
LABELS_LIMIT = 1000
"""Distinct labels in the traffic; the rest are `other`. The sample log has them all."""
KEEP_S = 30
"""Seconds that a bucket of traffic waits for samples whose with-block is still open."""
BELIEVED_US = 3_600_000_000
"""How far back the event's own clock reading is believed; a client may send anything."""
TEXT_LIMIT = 2048
"""Characters of a label, a URL or a message that are kept."""
_THREAD = "switchover_thread"


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
        self._settings = settings
        self._clock = clock
        self._attribution = Attribution(settings.identity)
        self._writer = SampleWriter(settings.path)
        self._traffic = Traffic(REQUESTS, settings.run, settings.worker, keep_s=KEEP_S)
        self._labels: set[str] = set()
        self._labels_overflowed = False
        self._threads = 0
        self._users = 1
        self._user_points: list[str] = []
        self._wall_offset_us = 0
        self._samples = self._redirects = self._failed = self._late = self._resends = 0
        self._read_wall_clock()

    def on_request(
        self,
        *,
        name: object = "",
        response_time: object = None,
        response_length: object = 0,
        response: object = None,
        exception: object = None,
        start_time: object = None,
        url: object = None,
        **_: Any,
    ) -> None:
        """A listener for Locust's `request` event. Never raises and never waits."""
        facts = _facts_of(response)
        start_us, end_us = self._times(facts, response_time, start_time)
        answer = self._attribution.read(response, failed=exception is not None)
        address = _text(url)
        label = _label(_text(name), address)
        thread = self._thread()
        facts = facts or RequestFacts(start_us, end_us)
        for number, leg in enumerate(facts.legs, 1):
            self._record_leg(f"{label} [redirect {number}]", leg, end_us, thread)
        if facts.legs:
            # The answer is that of the last request; the event tells where the first one went.
            address = _last_address(response) or address
        self._record(
            Sample(
                start_us=start_us,
                end_us=end_us,
                intended_us=None,
                label=label,
                code=answer.code,
                message=answer.message,
                thread=thread,
                success=exception is None,
                failure_message="" if exception is None else _message(exception),
                nbytes=_count(response_length),
                sent_bytes=facts.sent_bytes,
                url=requested_url(address),
                latency_us=facts.latency_us,
                connect_us=facts.connect_us,
                identity=answer.identity,
                error=None if exception is None else facts.kind or _kind(exception, response),
                attempts=facts.attempts,
                stream=facts.stream,
                session=answer.session,
                users=self._users,
            )
        )

    def users(self, active: int, at_us: int) -> None:
        """How many users there are in this process now."""
        self._users = active
        tags = {"generator": GENERATOR, "run": self._settings.run, "worker": self._settings.worker}
        self._user_points.append(format_point(USERS, tags, {"active": active}, at_us * 1000))

    def flush(self) -> None:
        """Everything recorded so far is handed to the operating system."""
        self._read_wall_clock()
        self._writer.flush()

    def take_points(self, end: bool = False) -> list[str]:
        """The lines of the seconds that have ended and were not told yet, or not with this total; at the end, all."""
        lines, self._user_points = self._user_points, []
        now_us = self._clock.now_us()
        return lines + self._traffic.flush(now_us + 1_000_000 if end else now_us)

    def close(self) -> None:
        self._writer.close()

    @property
    def totals(self) -> RecorderTotals:
        return RecorderTotals(
            samples=self._samples,
            redirects=self._redirects,
            failed=self._failed,
            late=self._late,
            resends=self._resends,
            lost=self._writer.lost,
        )

    @property
    def warnings(self) -> list[str]:
        found = []
        if self._writer.warning is not None:
            found.append(self._writer.warning)
        if self._attribution.names_overflowed:
            found.append("more than 256 names of backends or balancers: the rest are called other")
        if self._labels_overflowed:
            found.append(
                f"more than {LABELS_LIMIT} names of requests: the traffic calls the rest other; "
                "group them with name= where the URL varies"
            )
        return found

    def _record_leg(self, label: str, leg: Leg, limit_us: int, thread: str) -> None:
        answer = self._attribution.read_headers(leg.status, leg.headers)
        end_us = min(leg.end_us, limit_us)
        self._redirects += 1
        self._record(
            Sample(
                start_us=min(leg.start_us, end_us),
                end_us=end_us,
                intended_us=None,
                label=label,
                code=answer.code,
                message=answer.message,
                thread=thread,
                success=True,
                failure_message="",
                nbytes=leg.nbytes,
                sent_bytes=leg.sent_bytes,
                url=requested_url(leg.url),
                latency_us=leg.latency_us,
                connect_us=leg.connect_us,
                identity=answer.identity,
                error=None,
                attempts=leg.attempts,
                stream=leg.stream,
                session=answer.session,
                users=self._users,
            )
        )

    def _record(self, sample: Sample) -> None:
        self._writer.write(sample)
        took_us = sample.end_us - sample.start_us
        outcome = "failed" if not sample.success else "late" if took_us > self._settings.late_us else "ok"
        self._samples += 1
        self._failed += outcome == "failed"
        self._late += outcome == "late"
        self._resends += max(0, sample.attempts - 1)
        self._traffic.add(
            max(sample.end_us, self._traffic.open_from_us),
            took_us,
            sample.nbytes,
            {
                "generator": GENERATOR,
                "label": self._admit(sample.label),
                "backend": sample.identity.backend,
                "balancer": sample.identity.balancer,
                "answered_by": sample.identity.answered_by,
                "outcome": outcome,
            },
        )

    def _admit(self, label: str) -> str:
        name = clean(label)
        if name not in self._labels:
            if len(self._labels) >= LABELS_LIMIT:
                self._labels_overflowed = True
                return OTHER
            self._labels.add(name)
        return name

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

    def _read_wall_clock(self) -> None:
        self._wall_offset_us = self._clock.from_wall_ns(0) // 1000

    def _times(self, facts: RequestFacts | None, response_time: object, start_time: object) -> tuple[int, int]:
        """Start and end on the run's clock; nothing ends after now."""
        now_us = self._clock.now_us()
        if facts is not None:
            end_us = min(facts.end_us, now_us)
            return min(facts.start_us, end_us), end_us
        took_us = _microseconds(response_time, 1e3)
        started_us = _microseconds(start_time, 1e6)
        if started_us is not None:
            start_us = started_us + self._wall_offset_us
            end_us = now_us if took_us is None else start_us + took_us
            if now_us - BELIEVED_US <= end_us <= now_us and start_us >= 0:
                return min(start_us, end_us), end_us
        return max(0, now_us - (took_us or 0)), now_us


def _facts_of(response: object) -> RequestFacts | None:
    try:
        facts = getattr(response, FACTS, None)
    except Exception:
        return None
    return facts if isinstance(facts, RequestFacts) else None


def _kind(exception: object, response: object) -> FailureKind:
    if not isinstance(exception, BaseException):
        return FailureKind.ASSERTION
    from switchover.locust.failures import kind_of

    return kind_of(exception, response)


def _last_address(response: object) -> str:
    try:
        return _text(response.request.url)  # type: ignore[attr-defined]
    except Exception:
        return ""


def _label(name: str, address: str) -> str:
    """The sample's name. One that nobody chose is the end of its URL, whose values are not for everybody's eyes."""
    return requested_url(name) if name and address.endswith(name) else name


def _text(value: object) -> str:
    try:
        text = value.decode("utf-8", "replace") if isinstance(value, bytes) else "" if value is None else str(value)
    except Exception:
        return ""
    return text[:TEXT_LIMIT]


def _message(exception: object) -> str:
    try:
        text = str(exception) or type(exception).__name__
    except Exception:
        text = type(exception).__name__
    return public_message(text[:TEXT_LIMIT])


def _microseconds(value: object, per_unit: float) -> int | None:
    """A time in µs; None where it is none."""
    number = _number(value) * per_unit
    return round(number) if 0 <= number <= MAX_US else None


def _count(value: object) -> int:
    number = _number(value)
    return int(number) if 0 < number <= MAX_US else 0


def _number(value: object) -> float:
    """Anything that is a number to Python; NaN, which is neither above nor below any other, if it is none."""
    try:
        return float(value)  # type: ignore[arg-type]
    except Exception:
        return math.nan
