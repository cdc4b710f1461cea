"""Requests on their way: with the user's cookies, and on to where an answer sends them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from switchover.locust.clients.timeline import TIMELINE
from switchover.locust.clients.unreported import abandon
from switchover.locust.user.cookies import Cookies, with_given
from switchover.locust.user.decoding import decode
from switchover.locust.user.errors import RequestError, StatusError
from switchover.locust.user.exchange import Exchanges
from switchover.locust.user.origin import STATUSES, follow
from switchover.locust.user.recorded_facts import facts_of_exchange
from switchover.locust.user.request_bytes import Assembly, Credentials, Prepared
from switchover.locust.user.response import Response
from switchover.locust.user.settings import ClientSettings, Timeouts
from switchover.model.failure_kind import FailureKind


@dataclass(frozen=True, slots=True)
class Given:
    """What a call says of its request besides method and URL."""

    headers: tuple[tuple[str, Any], ...] = ()
    auth: Credentials | None = None
    cookies: Mapping[str, str] | None = None
    entity: bytes | None = None
    kind: str | None = None
    """The entity's type, where it follows from what it was made of."""


NOTHING = Given()


class Sender:
    """Of one user."""

    def __init__(self, settings: ClientSettings) -> None:
        self.cookies = Cookies()
        self._exchanges = Exchanges(settings)
        self._max_redirects = settings.max_redirects

    def send(self, prepared: Prepared, given: Given, timeouts: Timeouts, way: Sequence[Response] = ()) -> Response:
        """Once, without following a redirect. `way`: those that were followed to come here."""
        cookies = b"" if prepared.has_cookies else self.cookies.header_for(prepared.url)
        if given.cookies:
            cookies = with_given(cookies, given.cookies)
        raw = prepared.whole
        if cookies or given.entity is not None:
            raw = prepared.bytes_with(cookies, given.entity, given.kind)
        try:
            exchange = self._exchanges.run(prepared.place.origin, raw, timeouts, prepared.is_head)
        except BaseException:
            abandoned, self._exchanges.abandoned = self._exchanges.abandoned, None
            if abandoned is not None:
                facts = facts_of_exchange(abandoned, way, TIMELINE.anchor_ns)
                abandon(facts, prepared.method, prepared.url)
            raise
        answer, error = exchange.answer, exchange.error
        content: bytes | None = answer.body if answer.kept else None
        head = answer.head
        if head is not None:
            if head.sets_cookies:
                self.cookies.learn(prepared.url, head.headers)
            if head.encoding and content and error is None:
                try:
                    content = decode(content, head.encoding, answer.keep_limit)
                except ValueError as problem:
                    error = RequestError(FailureKind.PROTOCOL, str(problem))
            if error is None and head.status >= 400:
                error = StatusError(head.status)
        response = Response(exchange, prepared, raw, cookies, content, error)
        if head is not None and head.location is not None and head.status in STATUSES and error is None:
            response.leads_on = True
        return response

    def follow(self, response: Response, assembly: Assembly, given: Given, timeouts: Timeouts) -> Response:
        """The answer at the end of the way that begins with this one; `history` has the way."""
        legs: list[Response] = []
        trusted = True
        while response.leads_on:
            prepared = response.prepared
            if len(legs) >= self._max_redirects:
                response.error = RequestError(FailureKind.PROTOCOL, f"more than {len(legs)} redirects")
                break
            try:
                onward = follow(prepared.method, response.status_code, response.headers["Location"], prepared.place)
                trusted = trusted and onward.keeps_credentials
                given = _remaining(given, body=onward.keeps_body, cookies=trusted)
                prepared = assembly.request_to(
                    onward.method, onward.place, given.headers, given.auth, trusted=trusted
                )
            except ValueError as problem:
                response.error = RequestError(FailureKind.PROTOCOL, f"redirected to nowhere: {problem}")
                break
            legs.append(response)
            response = self.send(prepared, given, timeouts, legs)
        response.history = legs
        return response

    def close(self) -> None:
        self._exchanges.close()


def _remaining(given: Given, *, body: bool, cookies: bool) -> Given:
    """What goes along to the next place."""
    return Given(
        headers=given.headers
        if body
        else tuple(item for item in given.headers if not item[0].lower().startswith("content-")),
        auth=given.auth,
        cookies=given.cookies if cookies else None,
        entity=given.entity if body else None,
        kind=given.kind,
    )
