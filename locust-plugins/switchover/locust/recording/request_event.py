"""Samples from one `request` event, whichever client fired it.

Locust's own users leave a response with `RequestFacts`; any other client may leave any object. A field that cannot be
read is left empty; the sample itself is always recorded.
"""

import math
from dataclasses import dataclass, replace

from switchover.locust.recording.attribution import AnswerFacts, Attribution
from switchover.locust.recording.failures import kind_of
from switchover.locust.recording.request_facts import FACTS, Leg, RequestFacts
from switchover.model.clock import Clock
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import UNKNOWN
from switchover.model.redaction import public_message, requested_url
from switchover.rundir.sample_log import MAX_US, Sample

TEXT_LIMIT = 2048
"""Characters of a label, a URL or a message that are kept."""
BELIEVED_US = 3_600_000_000
"""The oldest start time of an event that is accepted, in microseconds."""


_BARE = Sample(0, 0, None, "", "", "", "", True, "", 0, 0, "", 0, 0, UNKNOWN, None, 1, "", "")


@dataclass(frozen=True, slots=True)
class RequestEvent:
    name: object
    response_time: object
    response_length: object
    response: object
    exception: object
    start_time: object
    url: object


class EventReader:
    def __init__(self, attribution: Attribution, clock: Clock) -> None:
        self._attribution = attribution
        self._clock = clock
        self._wall_offset_us = 0
        self.read_wall_clock()

    def read_wall_clock(self) -> None:
        """Read the wall clock; called now and then, so that start times are right again soon after it was set."""
        self._wall_offset_us = self._clock.from_wall_ns(0) // 1000

    def read(self, event: RequestEvent, thread: str, users: int) -> list[Sample]:
        """The redirects that were followed, and the sample itself as the last one."""
        response, failed = event.response, event.exception is not None
        facts = facts_of(response)
        start_us, end_us = self._times(event, facts)
        facts = facts or RequestFacts(start_us, end_us)
        label = label_of(event.name, event.url)
        legs = [
            self._leg(f"{label} [redirect {number}]", leg, end_us, thread, users)
            for number, leg in enumerate(facts.legs, 1)
        ]
        if legs:
            # The answer is that of the last request; the event tells where the first one went.
            event = replace(event, name=label, url=_last_address(response) or event.url)
        answer, session = self._attribution.read(response, failed=failed), self._attribution.session(response)
        return [*legs, sample_of(event, facts, start_us, end_us, answer, session, thread, users)]

    def bare(self, event: RequestEvent, thread: str, users: int) -> Sample:
        now_us = self._clock.now_us()
        good = event.exception is None
        return _BARE._replace(
            start_us=now_us,
            end_us=now_us,
            label=text_of(event.name),
            thread=thread,
            success=good,
            failure_message="" if good else type(event.exception).__name__,
            error=None if good else FailureKind.ASSERTION,
            users=users,
        )

    def _leg(self, label: str, leg: Leg, limit_us: int, thread: str, users: int) -> Sample:
        answer = self._attribution.read_headers(leg.status, leg.headers)
        end_us = min(leg.end_us, limit_us)
        return _BARE._replace(
            start_us=min(leg.start_us, end_us),
            end_us=end_us,
            label=label,
            code=answer.code,
            message=answer.message,
            thread=thread,
            nbytes=leg.nbytes,
            sent_bytes=leg.sent_bytes,
            url=requested_url(text_of(leg.url)),
            latency_us=leg.latency_us,
            connect_us=leg.connect_us,
            identity=answer.identity,
            attempts=leg.attempts,
            stream=leg.stream,
            users=users,
        )

    def _times(self, event: RequestEvent, facts: RequestFacts | None) -> tuple[int, int]:
        """Start and end in microseconds. An event without facts has a wall-clock start and a duration."""
        if facts is not None:
            return min(facts.start_us, facts.end_us), facts.end_us
        now_us = self._clock.now_us()
        took_us = _microseconds(event.response_time, 1e3)
        started_us = _microseconds(event.start_time, 1e6)
        if started_us is not None:
            start_us = started_us + self._wall_offset_us
            end_us = now_us if took_us is None else start_us + took_us
            if 0 <= start_us <= end_us <= now_us and end_us >= now_us - BELIEVED_US:
                return start_us, end_us
        return max(0, now_us - (took_us or 0)), now_us


def sample_of(
    event: RequestEvent,
    facts: RequestFacts,
    start_us: int,
    end_us: int,
    answer: AnswerFacts,
    session: str,
    thread: str,
    users: int,
) -> Sample:
    failure = event.exception
    return Sample(
        start_us=start_us,
        end_us=end_us,
        intended_us=facts.intended_us,
        label=label_of(event.name, event.url),
        code=answer.code,
        message=answer.message,
        thread=thread,
        success=failure is None,
        failure_message="" if failure is None else _message(failure),
        nbytes=_count(event.response_length),
        sent_bytes=max(0, facts.sent_bytes),
        url=requested_url(text_of(event.url)),
        latency_us=max(0, facts.latency_us),
        connect_us=max(0, facts.connect_us),
        identity=answer.identity,
        error=None if failure is None else facts.kind or _kind(failure, event.response),
        attempts=facts.attempts,
        stream=facts.stream,
        session=session,
        users=users,
    )


def label_of(name: object, url: object) -> str:
    """The sample's name. One that is only the end of its URL is shown without query values, which may be secret."""
    label = text_of(name)
    return requested_url(label) if label and text_of(url).endswith(label) else label


def text_of(value: object) -> str:
    try:
        text = value.decode("utf-8", "replace") if isinstance(value, bytes) else "" if value is None else str(value)
    except Exception:
        return ""
    return text[:TEXT_LIMIT]


def facts_of(response: object) -> RequestFacts | None:
    try:
        facts = getattr(response, FACTS, None)
    except Exception:
        return None
    return facts if isinstance(facts, RequestFacts) else None


def _kind(exception: object, response: object) -> FailureKind:
    return kind_of(exception, response) if isinstance(exception, BaseException) else FailureKind.ASSERTION


def _last_address(response: object) -> str:
    try:
        return text_of(response.request.url)  # type: ignore[attr-defined]
    except Exception:
        return ""


def _message(exception: object) -> str:
    return public_message(text_of(exception) or type(exception).__name__)


def _microseconds(value: object, per_unit: float) -> int | None:
    number = _number(value) * per_unit
    return round(number) if 0 <= number <= MAX_US else None


def _count(value: object) -> int:
    number = _number(value)
    return int(number) if 0 < number <= MAX_US else 0


def _number(value: object) -> float:
    """The value as a float; NaN, which no comparison accepts, if it is no number."""
    try:
        return float(value)  # type: ignore[arg-type]
    except Exception:
        return math.nan
