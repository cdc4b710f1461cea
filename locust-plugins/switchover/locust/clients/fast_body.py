"""When the body of an answer of FastHttpUser was complete.

Most bodies come with the headers, and cost nothing here. An answer whose body is still on its way changes its class:
unlike a hook on all answers that costs the others nothing, and unlike a callback on this one it ties no knot of
references. An answer that nobody reads to its end must be freed at once, because that gives its connection back.
"""

from typing import Any

from geventhttpclient.response import HTTPSocketPoolResponse

from switchover.locust.clients.timeline import TIMELINE
from switchover.locust.request_facts import FACTS, RequestFacts


class ReadingResponse(HTTPSocketPoolResponse):
    """Tells its facts when its connection is given back: the body is complete then, or will never be."""

    def release(self) -> None:
        facts = getattr(self, FACTS, None)
        if facts is not None:
            setattr(self, FACTS, None)
            facts.end_us = TIMELINE.now()
        super().release()


def watch_body(answer: Any, facts: RequestFacts) -> None:
    if type(answer) is HTTPSocketPoolResponse:
        setattr(answer, FACTS, facts)
        answer.__class__ = ReadingResponse
