"""Read the samples of a `request` event of any client. If the event cannot be read, a sample has only name and
outcome."""

import math
from dataclasses import dataclass, replace
from urllib.parse import urljoin

from switchover.locust.recording.attribution import AnswerFacts, Attribution, header_pairs
from switchover.locust.recording.failures import kind_of
from switchover.locust.recording.request_facts import RequestFacts, facts_of
from switchover.model.clock import Clock
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import UNKNOWN
from switchover.model.redaction import public_message, requested_url
from switchover.rundir.sample_log import MAX_US, Sample

TEXT_LIMIT = 2048


@dataclass(frozen=True, slots=True)
class RequestEvent:
    name: object
    response_time: object
    response_length: object
    response: object
    exception: object
    url: object


class EventReader:
    def __init__(self, attribution: Attribution, clock: Clock) -> None:
        self._attribution = attribution
        self._clock = clock

    def read(self, event: RequestEvent, thread: str, users: int) -> list[Sample]:
        response, failed = event.response, event.exception is not None
        facts = facts_of(response) or self._measure(event)
        label = label_of(event.name, event.url)
        legs, url = [], text_of(event.url)
        for number, leg in enumerate(facts.legs, 1):
            answer = self._attribution.read_headers(leg.status, leg.headers)
            step = RequestEvent(f"{label} [redirect {number}]", None, leg.nbytes, None, None, url)
            legs.append(sample_of(step, leg, min(leg.end_us, facts.end_us), answer, "", thread, users))
            url = _next_url(url, leg.headers)
        if legs:
            # The answer belongs to the last request, but the event contains the URL of the first request.
            event = replace(event, name=label, url=url)
        answer, session = self._attribution.read(response, failed=failed), self._attribution.session(response)
        return [*legs, sample_of(event, facts, facts.end_us, answer, session, thread, users)]

    def bare(self, event: RequestEvent, thread: str, users: int) -> Sample:
        now_us, failure = self._clock.now_us(), event.exception
        error = None if failure is None else AssertionError(type(failure).__name__)
        named = RequestEvent(event.name, None, 0, None, error, None)
        unknown = AnswerFacts("", "", UNKNOWN)
        return sample_of(named, RequestFacts(now_us, now_us), now_us, unknown, "", thread, users)

    def _measure(self, event: RequestEvent) -> RequestFacts:
        """Return facts for a request of a client that is not instrumented: the request ends now, and began
        `response_time` milliseconds earlier."""
        now_us, took_us = self._clock.now_us(), _number(event.response_time) * 1000
        return RequestFacts(now_us - round(took_us) if 0 <= took_us <= now_us else now_us, now_us)


def sample_of(
    event: RequestEvent,
    facts: RequestFacts,
    end_us: int,
    answer: AnswerFacts,
    session: str,
    thread: str,
    users: int,
) -> Sample:
    failure = event.exception
    error = facts.kind if failure is not None else None
    if failure is not None and error is None:
        error = kind_of(failure, event.response) if isinstance(failure, BaseException) else FailureKind.ASSERTION
    nbytes = _number(event.response_length)
    return Sample(
        start_us=min(facts.start_us, end_us),
        end_us=end_us,
        intended_us=None,
        label=label_of(event.name, event.url),
        code=answer.code,
        message=answer.message,
        thread=thread,
        success=failure is None,
        failure_message="" if failure is None else public_message(text_of(failure) or type(failure).__name__),
        nbytes=int(nbytes) if 0 < nbytes <= MAX_US else 0,
        sent_bytes=max(0, facts.sent_bytes),
        url=requested_url(text_of(event.url)),
        latency_us=max(0, facts.latency_us),
        connect_us=max(0, facts.connect_us),
        identity=answer.identity,
        error=error,
        attempts=facts.attempts,
        stream=facts.stream,
        session=session,
        users=users,
    )


def _next_url(url: str, headers: object) -> str:
    """Return the URL of the next request, or the same URL if the answer is not a valid redirect."""
    location = next((value for name, value in header_pairs(headers) if name.lower() == "location"), "")
    try:
        return urljoin(url, location)
    except ValueError:
        return url


def label_of(name: object, url: object) -> str:
    """Return the sample's name. If the name is the end of the URL, the query is removed, as it may be secret."""
    label = text_of(name)
    return requested_url(label) if label and text_of(url).endswith(label) else label


def text_of(value: object) -> str:
    try:
        text = value.decode("utf-8", "replace") if isinstance(value, bytes) else "" if value is None else str(value)
    except Exception:
        return ""
    return text[:TEXT_LIMIT]


def _number(value: object) -> float:
    """Return the value as a float. Otherwise, return NaN, because every comparison with NaN is False."""
    try:
        return float(value)  # type: ignore[arg-type]
    except Exception:
        return math.nan
