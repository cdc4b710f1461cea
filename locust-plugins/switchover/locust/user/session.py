"""`self.client` of a `BalancerHttpUser`: sends the requests of one user, with cookies and connections."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, partialmethod
from typing import Any

from locust import User
from locust.event import EventHook
from requests.structures import CaseInsensitiveDict

from switchover.locust.clients.unreported import begin_request, report_abandoned
from switchover.locust.recording.request_facts import RUN_CLOCK, Leg, RequestFacts
from switchover.locust.user.answer import NO_HEAD, Answer, decode
from switchover.locust.user.cookies import Cookies, add_cookies_by_hand, store_cookies
from switchover.locust.user.errors import RequestError, StatusError
from switchover.locust.user.exchange import Exchange, Exchanges
from switchover.locust.user.origin import STATUSES, follow
from switchover.locust.user.request_bytes import (
    Credentials,
    PreparedRequest,
    encode_body,
    shared_builder,
)
from switchover.locust.user.response import Response
from switchover.locust.user.settings import ClientSettings, Timeouts, nanoseconds
from switchover.model.failure_kind import FailureKind


@dataclass(frozen=True, slots=True)
class RequestParts:
    headers: tuple[tuple[str, Any], ...] = ()
    auth: Credentials | None = None
    cookies: Mapping[str, str] | None = None
    body: bytes | None = None
    content_type: str | None = None


NO_PARTS = RequestParts()
REDIRECTS_LIMIT = 30


def _parts_for_redirect(parts: RequestParts, *, body: bool, cookies: bool) -> RequestParts:
    parts = parts if cookies else replace(parts, cookies=None)
    if body:
        return parts
    headers = tuple(item for item in parts.headers if not item[0].lower().startswith("content-"))
    return replace(parts, headers=headers, body=None)


def facts_of(
    exchange: Exchange, way: Sequence[Response], anchor_ns: int, kind: FailureKind | None = None
) -> RequestFacts:
    """Return the facts of a request, from the first send to the last byte. The sent bytes, the connect time and the
    stream are from the last exchange (after redirects)."""
    start_ns = way[0].exchange.start_ns if way else exchange.start_ns
    return RequestFacts(
        (start_ns + anchor_ns) // 1000,
        (exchange.end_ns + anchor_ns) // 1000,
        (exchange.connected_ns - exchange.start_ns) // 1000 if exchange.connected_ns else 0,
        (exchange.first_ns - start_ns) // 1000 if exchange.first_ns else 0,
        exchange.sent_bytes,
        1 if exchange.sent_bytes else 0,
        exchange.stream,
        kind,
        [_leg(leg, anchor_ns) for leg in way],
    )


def _leg(response: Response, anchor_ns: int) -> Leg:
    facts, nbytes = facts_of(response.exchange, (), anchor_ns), response.exchange.answer.content.nbytes
    return Leg(**vars(facts), status=response.status_code, headers=response.headers, nbytes=nbytes)


class BalancerHttpSession:
    def __init__(self, base_url: str, request_event: EventHook, user: User, settings: ClientSettings) -> None:
        self.base_url = base_url
        self.headers: CaseInsensitiveDict[Any] = CaseInsensitiveDict()
        self.auth: Credentials | None = None
        self._request_event = request_event
        self._user = user
        self._timeouts = Timeouts(
            nanoseconds(settings.timeout_connect, "the timeout to connect"),
            nanoseconds(settings.timeout_read, "the timeout"),
        )
        self._keep_limit = settings.max_kept_body
        self._exchanges = Exchanges(settings)
        self.cookies = Cookies(self.base_url)
        self._builder = shared_builder(
            base_url, tuple(settings.default_headers.items()), settings.connection == "kept"
        )

    def request(
        self,
        method: str,
        url: str,
        name: str | None = None,
        catch_response: bool = False,
        context: dict[str, Any] | None = None,
        *,
        data: Any = None,
        json: Any = None,
        params: Any = None,
        headers: Mapping[str, Any] | None = None,
        cookies: Mapping[str, str] | None = None,
        auth: Credentials | None = None,
        timeout: float | tuple[float, float] | None = None,
        allow_redirects: bool = True,
    ) -> Response:
        """Send a request once. Returns a response even if there is no answer.

        Raises an exception only for values that HTTP does not allow.

        * `url`: a path after the user's `host`, or a whole URL.
        * `name`: the name of the sample. The default is `url`.
        * `catch_response`: report the sample at the end of the with-block. The with-block may mark the sample as good
          or failed.
        * `context`: passed to listeners of the `request` event.
        * `data`: the body as str or bytes. A dict or list of pairs is a form.
        * `json`: the body as JSON, if there is no `data`.
        * `params`: a dict or list of pairs, added to the URL as its query.
        * `headers`: replace the user's headers. The value None removes a header.
        * `cookies`: added to the user's cookies.
        * `auth`: user and password.
        * `timeout`: the read time-out in seconds: from the established connection to the complete answer. A pair is
          the connect time-out and the read time-out.
        * `allow_redirects`: follow redirects. The sample includes the redirects.
        """
        if self.headers:
            headers = {**self.headers, **(headers or {})}
        auth = auth or self.auth
        builder, prepared = self._builder, None
        if params is None and headers is None and auth is None:
            prepared = builder.known.get((method, url))
        if prepared is None:
            prepared = builder.prepare(method, url, params, headers, auth)
        parts = NO_PARTS
        if data is not None or json is not None or cookies or headers or auth:
            body, content_type = encode_body(data, json)
            parts = RequestParts(tuple((headers or {}).items()), auth, cookies, body, content_type)
        timeouts = self._timeouts if timeout is None else self._timeouts_of(timeout)
        first = response = self._send(prepared, parts, timeouts)
        if allow_redirects and response.leads_on:
            response = self._follow(response, parts, timeouts)
        error = response.error
        # The event decides if a status is an error, because the test may accept the status.
        kind = None if error is None or type(error) is StatusError else error.kind
        last = response.exchange
        facts = response.switchover_facts = facts_of(last, response.history, RUN_CLOCK.anchor_ns, kind)
        report: Callable[..., None] = self._request_event.fire
        if catch_response:
            report = partial(response.defer, report)
            begin_request(facts, method, first.url, response)
        report(
            request_type=method,
            name=name or url,
            response_time=(last.end_ns - first.exchange.start_ns) / 1e6,
            response_length=last.answer.content.nbytes,
            response=response,
            context={**self._user.context(), **(context or {})},
            exception=error,
            start_time=facts.start_us / 1e6,
            url=first.url,
        )
        return response

    def get(self, url: str, **options: Any) -> Response:
        return self.request("GET", url, **options)

    head = partialmethod(request, "HEAD")
    options = partialmethod(request, "OPTIONS")
    delete = partialmethod(request, "DELETE")

    def post(self, url: str, data: Any = None, json: Any = None, **options: Any) -> Response:
        return self.request("POST", url, data=data, json=json, **options)

    def put(self, url: str, data: Any = None, **options: Any) -> Response:
        return self.request("PUT", url, data=data, **options)

    def patch(self, url: str, data: Any = None, **options: Any) -> Response:
        return self.request("PATCH", url, data=data, **options)

    def close(self) -> None:
        self._exchanges.close()

    def _send(
        self, prepared: PreparedRequest, parts: RequestParts, timeouts: Timeouts, way: Sequence[Response] = ()
    ) -> Response:
        cookies = b"" if prepared.has_cookies else self.cookies.header_for(prepared.url)
        if parts.cookies:
            cookies = add_cookies_by_hand(cookies, parts.cookies)
        raw = prepared.whole
        if cookies or parts.body is not None:
            raw = prepared.bytes_with(cookies, parts.body, parts.content_type)
        answer = Answer(self._keep_limit, is_head=prepared.method == "HEAD")
        exchange = Exchange(answer)
        try:
            self._exchanges.run(exchange, prepared.parsed_url.origin, raw, timeouts)
        except BaseException as stopped_by:
            facts = facts_of(exchange, way, RUN_CLOCK.anchor_ns)
            report_abandoned(facts, prepared.method, prepared.url, stopped_by)
            raise
        error = exchange.error
        content: bytes | None = answer.body if answer.content.kept else None
        head = answer.head or NO_HEAD
        if head.sets_cookies:
            store_cookies(self.cookies, prepared.url, head.pairs)
        if head.encoding and content and error is None:
            try:
                content = decode(content, head.encoding, answer.keep_limit)
            except ValueError as problem:
                error = RequestError(FailureKind.PROTOCOL, str(problem))
        if error is None and head.status >= 400:
            error = StatusError(head.status)
        response = Response(exchange, prepared, raw, cookies, content, error)
        response.leads_on = head.location is not None and head.status in STATUSES and error is None
        return response

    def _follow(self, response: Response, parts: RequestParts, timeouts: Timeouts) -> Response:
        legs: list[Response] = []
        valid = True
        while response.leads_on:
            prepared = response.prepared
            if len(legs) >= REDIRECTS_LIMIT:
                response.error = RequestError(FailureKind.PROTOCOL, f"more than {len(legs)} redirects")
                break
            try:
                before, location = prepared.parsed_url, response.headers["Location"]
                method, parsed_url = follow(prepared.method, response.status_code, location, before)
                valid = valid and parsed_url.origin == before.origin
                parts = _parts_for_redirect(parts, body=method == prepared.method, cookies=valid)
                prepared = self._builder.request_to(method, parsed_url, parts.headers, parts.auth, valid=valid)
            except ValueError as problem:
                response.error = RequestError(FailureKind.PROTOCOL, f"invalid redirect: {problem}")
                break
            legs.append(response)
            response = self._send(prepared, parts, timeouts, legs)
        response.history = legs
        return response

    def _timeouts_of(self, timeout: float | tuple[float, float]) -> Timeouts:
        connect, read = timeout if isinstance(timeout, tuple) else (None, timeout)
        return Timeouts(
            self._timeouts.connect_ns if connect is None else nanoseconds(connect, "the timeout to connect"),
            nanoseconds(read, "the timeout"),
        )
