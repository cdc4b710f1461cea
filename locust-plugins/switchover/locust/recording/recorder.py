"""The recorder of the load. Each `request` event of Locust becomes a row of the sample log, and is counted in the
traffic.

The recorder runs on the processor core that generates the load. A good answer of a known kind therefore takes a fast
code path. The values of the sample are stored in a tuple, and many tuples are converted to rows and traffic together.
All other samples take a slower code path, which writes the same bytes.
"""

import itertools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gevent import getcurrent

from switchover.locust.options import PREFIX
from switchover.locust.recording.attribution import Attribution
from switchover.locust.recording.open_requests import OPEN
from switchover.locust.recording.request_event import EventReader, RequestEvent, sample_of
from switchover.locust.recording.request_facts import facts_of
from switchover.locust.recording.sample_kinds import (
    GENERATOR,
    LABELS_LIMIT,
    PendingSample,
    SampleKinds,
    TrafficCounter,
)
from switchover.model.clock import Clock
from switchover.model.identity import IdentitySettings
from switchover.rundir.measurements import USERS
from switchover.rundir.points import format_fields, format_series
from switchover.rundir.sample_log import Sample, SampleWriter

OPTION = f"{PREFIX}run"


def part_name(worker: str) -> str:
    return f"samples-{worker}.jtl" if worker else "samples.jtl"


@dataclass(frozen=True, slots=True)
class RunDescription:
    """The description of a run that a worker needs before its users start.

    The option `OPTION` contains the description, because Locust adds the options to every message that starts users.
    """

    run: str
    directory: str
    """The run directory on the Locust master. A worker that has access to this directory writes its sample log
    there."""
    clock_domain: str
    anchor_ns: int
    """The time of the run's clock minus the monotonic clock of the Locust master's machine. A worker with the same
    monotonic clock uses this value."""
    identity: IdentitySettings
    late_us: int
    timeouts_s: tuple[float | None, float | None]


FLUSH_S = 0.2
"""The time, in seconds, between two calls of `flush`. If the process is killed with SIGKILL, only the rows since the
last `flush` are lost."""
BATCH = 128
"""The number of samples that are recorded together. Recording one batch delays the load by 0.5 ms."""


class Recorder:
    """The recorder of one process. `ProcessRecording` calls `flush` every `FLUSH_S` seconds, and `take_points` about
    every second.

    A full disk raises no exception: `writer.lost` counts the lost rows, and `warnings` contains the reason.
    """

    def __init__(self, path: Path, worker: str, run: RunDescription, clock: Clock) -> None:
        self._clock = clock
        self._attribution = Attribution(run.identity)
        self._events = EventReader(self._attribution, clock)
        self.writer = SampleWriter(path)
        self._traffic_counter = TrafficCounter(run.run, worker, run.late_us)
        self._active = 1
        self._thread_prefix = _UNSAFE.sub("_", f"{worker}-") if worker else ""
        self._misread = ""
        self._user_points: list[str] = []
        self._users_series = format_series(USERS, {"generator": GENERATOR, "run": run.run, "worker": worker})
        self._pending: list[PendingSample] = []
        self._kinds = SampleKinds(self._attribution, self._traffic_counter, run.late_us)
        self._answer_key = self._attribution.answer_key
        self._session = self._attribution.session if run.identity.sticky_cookie else None

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
        greenlet: Any = None,
        **_: object,
    ) -> None:
        """Listen to Locust's `request` event. Never raises and never waits.

        All keywords of the event are parameters, because a dict of further keywords would take 0.5 µs per request.
        `greenlet`: the user's greenlet, if a different greenlet reports the request.
        """
        if exception is None:
            try:
                facts = response.switchover_facts
                if not OPEN.close(facts):
                    return
                if facts.legs:
                    raise LookupError("each redirect is a separate sample")
                answer_key = self._answer_key(response)
                session = self._session(response) if self._session else ""
                pending = self._pending
                user = getcurrent() if greenlet is None else greenlet
                pending.append((name, url, response_length, facts, facts.end_us, answer_key, session, user))
            except Exception:
                pass  # the client is not instrumented
            else:
                if len(pending) >= BATCH:
                    self._record_pending()
                return
        event = RequestEvent(name, response_time, response_length, response, exception, url)
        thread = self._thread_of(getcurrent() if greenlet is None else greenlet)
        try:
            known = facts_of(response)
            if known is not None and not OPEN.close(known):
                return
            for sample in self._events.read(event, thread, self._active):
                self._record(sample)
        except Exception as error:
            self._record_bare(event, thread, error)

    def users(self, active: int, at_us: int) -> None:
        if active != self._active:
            self._record_pending()
            self._active = active
        self._user_points.append(f"{self._users_series} {format_fields({'active': active})} {at_us * 1000}")

    def flush(self) -> None:
        self._record_pending()
        self.writer.flush()

    def take_points(self, end: bool = False) -> list[str]:
        """Return the recorded numbers of users, and a line for the traffic of each complete second whose counts have
        changed. `end`: include the current second."""
        self._record_pending()
        lines, self._user_points = self._user_points, []
        now_us = self._clock.now_us()
        return lines + self._traffic_counter.take_points(now_us + 1_000_000 if end else now_us)

    def close(self) -> None:
        self.flush()
        self.writer.close()

    @property
    def samples(self) -> int:
        self._record_pending()
        return self._traffic_counter.samples

    @property
    def warnings(self) -> list[str]:
        warnings = [self.writer.warning] if self.writer.warning is not None else []
        if self._attribution.who.overflowed:
            warnings.append("more than 256 names of backends or balancers: further names become `other`")
        if self._traffic_counter.labels_overflowed:
            warnings.append(
                f"more than {LABELS_LIMIT} names of requests: in the traffic, further names become `other`; "
                "if URLs vary, set name= to group the requests"
            )
        if self._misread:
            warnings.append(f"some samples were recorded incompletely: {self._misread}")
        return warnings

    def _record_pending(self) -> None:
        if self._pending:
            pending, self._pending = self._pending, []
            self.writer.write_rows(self._kinds.record(pending, self._active, self._record_odd))

    def _record_odd(self, pending: PendingSample) -> None:
        name, url, nbytes, facts, end_us, answer_key, session, greenlet = pending
        event = RequestEvent(name, None, nbytes, None, None, url)
        thread = self._thread_of(greenlet)
        try:
            answer = self._attribution.answer(answer_key)
            self._record(sample_of(event, facts, end_us, answer, session, thread, self._active))
        except Exception as error:
            self._record_bare(event, thread, error)

    def _record_bare(self, event: RequestEvent, thread: str, error: Exception) -> None:
        self._misread = self._misread or f"{type(error).__name__}: {error}"
        self._record(self._events.bare(event, thread, self._active))

    def _record(self, sample: Sample) -> None:
        self.writer.write(sample)
        self._traffic_counter.add(sample)

    def _thread_of(self, greenlet: Any) -> str:
        """Return a name for the user that needs no quotes in the sample log."""
        name: str | None = getattr(greenlet, THREAD, None)
        if name is None:
            name = f"{self._thread_prefix}user-{next(_numbers)}"
            setattr(greenlet, THREAD, name)
        return name


THREAD = "switchover_thread"

_UNSAFE = re.compile(r'[,"\s]')
_numbers = itertools.count(1)
