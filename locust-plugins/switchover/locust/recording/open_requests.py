"""Requests that have begun but are not yet recorded.

Locust reports nothing if a greenlet is killed while it reads the body, or if an exception leaves the client. Locust
also reports nothing if a response with `catch_response=True` is never closed.
"""

from dataclasses import dataclass
from typing import Any

from gevent import getcurrent

from switchover.locust.recording.request_facts import RequestFacts

LAST = "switchover_open"


@dataclass(slots=True, eq=False)
class OpenRequest:
    """An open request. `response`: the response that the with-block of the request must close, or None."""

    facts: RequestFacts
    greenlet: Any
    method: str
    url: str
    response: Any

    @property
    def is_in_block(self) -> bool:
        return self.response is not None and bool(self.response._entered)


class OpenRequests:
    """All open requests of this process; the key is `id(facts)`. Requests are added while `watched` is True."""

    def __init__(self) -> None:
        self.watched = False
        self.by_id: dict[int, OpenRequest] = {}

    def begin(self, facts: RequestFacts, method: Any, url: Any, response: Any = None) -> OpenRequest | None:
        """Add a request. Returns the greenlet's previous request if Locust can no longer report that request."""
        if not self.watched:
            return None
        greenlet = getcurrent()
        last: OpenRequest | None = getattr(greenlet, LAST, None)
        begun = self.by_id[id(facts)] = OpenRequest(facts, greenlet, str(method), str(url), response)
        setattr(greenlet, LAST, begun)
        return None if last is None or last.is_in_block or id(last.facts) not in self.by_id else last

    def expect_block(self, response: Any) -> None:
        open_request = self.by_id.get(id(getattr(response, "switchover_facts", None)))
        if open_request is not None:
            open_request.response = response

    def close(self, facts: RequestFacts) -> bool:
        """Remove a request that is about to be recorded. Returns False if the request was already recorded."""
        open_request = self.by_id.pop(id(facts), None)
        if open_request is None:
            return not facts.is_recorded
        # The greenlet refers to its latest request, but the response must not exist as long as the greenlet.
        open_request.response = None
        return True


OPEN = OpenRequests()
