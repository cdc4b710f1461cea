"""The response of a request, with the interface of HttpUser and FastHttpUser."""

import json as json_format
from collections.abc import Callable, Sequence
from datetime import timedelta
from email.message import Message
from typing import Any, NamedTuple, Self

from locust.exception import CatchResponseError, LocustError, ResponseError
from requests.cookies import RequestsCookieJar
from requests.structures import CaseInsensitiveDict

from switchover.locust.recording.request_facts import RequestFacts
from switchover.locust.user.answer import NO_HEAD
from switchover.locust.user.cookies import store_cookies
from switchover.locust.user.errors import LEAVES_TASK, BodyNotKeptError, RequestError
from switchover.locust.user.exchange import Exchange
from switchover.locust.user.request_bytes import PreparedRequest


class SentRequest(NamedTuple):
    method: str
    url: str
    raw: bytes

    @property
    def headers(self) -> dict[str, str]:
        head = self.raw.partition(b"\r\n\r\n")[0].decode("latin-1")
        return {name: value for name, _, value in (line.partition(": ") for line in head.split("\r\n")[1:])}

    @property
    def body(self) -> bytes | None:
        return self.raw.partition(b"\r\n\r\n")[2] or None


Meta = dict[str, Any]

_NOT_ENTERED = (
    "only in a with-block, with catch_response=True, can a request be marked: "
    "with self.client.get(…, catch_response=True) as response:"
)


class Response:
    """The response of a request. Without an answer, `status_code` is 0, `content` is None, and `error` has the
    reason."""

    history: "Sequence[Response]" = ()
    leads_on = False
    encoding: str | None = None
    request_meta: Meta
    switchover_facts: RequestFacts
    _fire: Callable[..., None] | None = None
    _entered = False
    _verdict: bool | Exception | None = None

    def __init__(
        self,
        exchange: Exchange,
        prepared: PreparedRequest,
        raw: bytes,
        cookies_sent: bytes,
        content: bytes | None,
        error: RequestError | None,
    ) -> None:
        self.exchange = exchange
        self._head = exchange.answer.head or NO_HEAD
        self.cookies_sent = cookies_sent
        """The line of the Cookie header that the client added, or empty."""
        self.error = error
        self.prepared = prepared
        self._raw = raw
        self._content = content

    @property
    def request(self) -> SentRequest:
        return SentRequest(self.prepared.method, self.prepared.url, self._raw)

    @property
    def status_code(self) -> int:
        return self._head.status

    @property
    def reason(self) -> str:
        return self._head.reason

    @property
    def headers(self) -> CaseInsensitiveDict[str]:
        """The headers. Do not change this mapping, because answers with equal heads share it."""
        return self._head.headers

    @property
    def url(self) -> str:
        return self.prepared.url

    @property
    def ok(self) -> bool:
        return self.error is None

    @property
    def content(self) -> bytes | None:
        """The part of the body that was received, decoded. Raises BodyNotKeptError if the body is too long."""
        answer = self.exchange.answer
        if answer.head is None:
            return None
        if self._content is None:
            raise BodyNotKeptError(answer.keep_limit)
        return self._content

    @property
    def text(self) -> str:
        content = self.content
        if not content:
            return ""
        encoding = self.encoding or _charset(self.headers.get("Content-Type", "")) or "utf-8"
        try:
            return content.decode(encoding, "replace")
        except LookupError:
            return content.decode("utf-8", "replace")

    def json(self, **options: Any) -> Any:
        return json_format.loads(self.text, **options)

    @property
    def cookies(self) -> RequestsCookieJar:
        jar = RequestsCookieJar()
        store_cookies(jar, self.url, self._head.pairs)
        return jar

    @property
    def elapsed(self) -> timedelta:
        """The time from the start of the last request (after redirects) to the last byte of its answer."""
        return timedelta(microseconds=(self.exchange.end_ns - self.exchange.start_ns) / 1000)

    def raise_for_status(self) -> None:
        """Raise the error of a failed request: a network error, an error status, or a failure that the test set."""
        if isinstance(self._verdict, Exception):
            raise self._verdict
        if self._verdict is None and self.error is not None:
            raise self.error

    def success(self) -> None:
        self._mark(True)

    def failure(self, exc: Exception | str) -> None:
        self._mark(exc if isinstance(exc, Exception) else CatchResponseError(exc))

    def _mark(self, verdict: bool | Exception) -> None:
        if not self._entered:
            raise LocustError(_NOT_ENTERED)
        self._verdict = verdict

    def defer(self, fire: Callable[..., None], **meta: Any) -> None:
        self._fire, self.request_meta = fire, meta

    def __enter__(self) -> Self:
        if self._fire is None:
            raise LocustError(_NOT_ENTERED)
        self._entered = True
        return self

    def __exit__(self, _kind: object, value: BaseException | None, _traceback: object) -> bool:
        """Report the request, even if the with-block raised an exception."""
        fire, self._fire = self._fire, None
        meta = self.request_meta
        # `meta` refers to this response, and garbage is not collected while the load runs.
        self.request_meta = {}
        if self._verdict is not None:
            meta["exception"] = None if self._verdict is True else self._verdict
        elif isinstance(value, Exception) and not isinstance(value, LEAVES_TASK):
            meta["exception"] = value
        if fire is not None:
            fire(**meta)
        # As in Locust's own users, a ResponseError is already reported, and any other exception is raised again.
        return self._verdict is None and isinstance(value, ResponseError)

    def __repr__(self) -> str:
        return f"<Response [{self.status_code or self.error}]>"


def _charset(content_type: str) -> str | None:
    if "charset" not in content_type.lower():
        return None
    message = Message()
    message["Content-Type"] = content_type
    return message.get_content_charset()
