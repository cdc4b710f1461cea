"""Sends requests with the user's cookies, and follows redirects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from switchover.locust.clients.run_clock import RUN_CLOCK
from switchover.locust.clients.unreported import report_abandoned
from switchover.locust.user.cookies import Cookies, add_cookies_by_hand
from switchover.locust.user.decoding import decode
from switchover.locust.user.errors import RequestError, StatusError
from switchover.locust.user.exchange import Exchanges
from switchover.locust.user.origin import STATUSES, follow
from switchover.locust.user.recorded_facts import facts_of_exchange
from switchover.locust.user.request_bytes import Credentials, PreparedRequest, RequestBuilder
from switchover.locust.user.response import Response
from switchover.locust.user.settings import ClientSettings, Timeouts
from switchover.model.failure_kind import FailureKind


@dataclass(frozen=True, slots=True)
class RequestParts:
    """The parts of a request besides method and URL, as a call gives them."""

    headers: tuple[tuple[str, Any], ...] = ()
    auth: Credentials | None = None
    cookies: Mapping[str, str] | None = None
    body: bytes | None = None
    content_type: str | None = None
    """The body's type, where it follows from what it was made of."""


NO_PARTS = RequestParts()


class Sender:
    """The sender of one user."""

    def __init__(self, settings: ClientSettings, base_url: str) -> None:
        self.cookies = Cookies(base_url)
        self._exchanges = Exchanges(settings)
        self._max_redirects = settings.max_redirects

    def send(
        self, prepared: PreparedRequest, parts: RequestParts, timeouts: Timeouts, way: Sequence[Response] = ()
    ) -> Response:
        """Send once, without following a redirect. `way`: the redirects that led here."""
        cookies = b"" if prepared.has_cookies else self.cookies.header_for(prepared.url)
        if parts.cookies:
            cookies = add_cookies_by_hand(cookies, parts.cookies)
        raw = prepared.whole
        if cookies or parts.body is not None:
            raw = prepared.bytes_with(cookies, parts.body, parts.content_type)
        try:
            exchange = self._exchanges.run(prepared.parsed_url.origin, raw, timeouts, prepared.is_head)
        except BaseException as stopped_by:
            abandoned, self._exchanges.abandoned = self._exchanges.abandoned, None
            if abandoned is not None:
                facts = facts_of_exchange(abandoned, way, RUN_CLOCK.anchor_ns)
                report_abandoned(facts, prepared.method, prepared.url, stopped_by)
            raise
        answer, error = exchange.answer, exchange.error
        content: bytes | None = answer.body if answer.kept else None
        head = answer.head
        if head is not None:
            if head.sets_cookies:
                self.cookies.store(prepared.url, head.headers)
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

    def follow(
        self, response: Response, builder: RequestBuilder, parts: RequestParts, timeouts: Timeouts
    ) -> Response:
        """The answer behind all redirects from this one on; its `history` has the redirects."""
        legs: list[Response] = []
        valid = True
        while response.leads_on:
            prepared = response.prepared
            if len(legs) >= self._max_redirects:
                response.error = RequestError(FailureKind.PROTOCOL, f"more than {len(legs)} redirects")
                break
            try:
                next_request = follow(
                    prepared.method, response.status_code, response.headers["Location"], prepared.parsed_url
                )
                valid = valid and next_request.keeps_credentials
                parts = _parts_for_redirect(parts, body=next_request.keeps_body, cookies=valid)
                prepared = builder.request_to(
                    next_request.method, next_request.parsed_url, parts.headers, parts.auth, valid=valid
                )
            except ValueError as problem:
                response.error = RequestError(FailureKind.PROTOCOL, f"redirected to nowhere: {problem}")
                break
            legs.append(response)
            response = self.send(prepared, parts, timeouts, legs)
        response.history = legs
        return response

    def close(self) -> None:
        self._exchanges.close()


def _parts_for_redirect(parts: RequestParts, *, body: bool, cookies: bool) -> RequestParts:
    """The parts that go along to the next URL."""
    return RequestParts(
        headers=parts.headers
        if body
        else tuple(item for item in parts.headers if not item[0].lower().startswith("content-")),
        auth=parts.auth,
        cookies=parts.cookies if cookies else None,
        body=parts.body if body else None,
        content_type=parts.content_type,
    )
