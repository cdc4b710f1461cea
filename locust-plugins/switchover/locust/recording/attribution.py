"""Find the server that answered a sample, from the response in Locust's `request` event.

The attribute `headers` of a response is None or a mapping that ignores case. FastHttpUser's mapping yields repeated
headers separately. A client that the user wrote may use any object as the response. Values that cannot be read count
as missing.
"""

import functools
import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from geventhttpclient.header import Headers

from switchover.model.identity import (
    NO_ANSWER,
    Identity,
    IdentitySettings,
    WhoAnswered,
    clean,
    hash_session,
    join_header,
)

T = TypeVar("T")
Pairs = list[tuple[str, str]]


def remember(cache: dict[Any, T], key: Any, value: T, limit: int) -> T:
    if len(cache) >= limit:
        cache.clear()
    cache[key] = value
    return value


HEADERS_LIMIT = 1000
CACHE_LIMIT = 1024
_STATUS = re.compile(r"[1-9][0-9]{2}")

Entry = Any
"""A stored header: a value, a pair of name and value, or a list of such pairs; None if the header is missing."""
AnswerKey = tuple[Any, Any, Entry, Entry, bool | None]
"""The status, the reason, the backend and the balancer of an answer, and a result from Nginx's upstream time header.

The result is True if the header shows that a backend answered, and None if the answer has no such header.
"""


@dataclass(frozen=True, slots=True)
class AnswerFacts:
    code: str
    message: str
    identity: Identity


class Attribution:
    """Reads from answers which backend and balancer answered. One object per run limits the numbers of backend and
    balancer names."""

    def __init__(self, settings: IdentitySettings) -> None:
        self.who = WhoAnswered(settings)
        self._cookie = settings.sticky_cookie
        self._backend = settings.backend_header.lower()
        self._balancer = settings.balancer_header.lower()
        self._time = settings.upstream_time_header.lower()
        self._cached_answer = functools.lru_cache(CACHE_LIMIT)(self._answer)

    def answer_key(self, response: Any) -> AnswerKey:
        """Return the fields of a response that `answer` needs. May raise any exception if the client is not
        instrumented."""
        headers = response.headers
        fields: Any
        if type(headers) is Headers:
            inner, fields = response._response, headers
            status, reason = inner.get_code(), inner.status_message
        else:
            status, reason, fields = response.status_code, response.reason, headers._store
        # The clients' own accessors would copy the values.
        get = dict.get
        time = get(fields, self._time)
        return (
            status,
            reason,
            get(fields, self._backend),
            get(fields, self._balancer),
            time if time is None else _is_answered(_joined(time)),
        )

    def answer(self, answer_key: AnswerKey) -> AnswerFacts:
        try:
            return self._cached_answer(answer_key)
        except TypeError:  # the value of a repeated header is a list
            return self._answer(answer_key)

    def _answer(self, answer_key: AnswerKey) -> AnswerFacts:
        status, reason, backend, balancer, answered = answer_key
        pairs = [*_lines(self._backend, backend), *_lines(self._balancer, balancer)]
        if answered is not None:
            pairs.append((self._time, "0" if answered else "-"))
        return AnswerFacts(_code(status), clean(_text(reason)), self.who.identify(pairs))

    def read(self, response: object, *, failed: bool) -> AnswerFacts:
        """Return the status, message and identity of the answer in a response object of any client. A failed request
        without a status has no answer. Never raises."""
        try:
            answer = self.answer(self.answer_key(response))
        except Exception:
            identity = self.who.identify(header_pairs(getattr(response, "headers", None)))
            reason = clean(_text(getattr(response, "reason", None)))
            answer = AnswerFacts(_code(getattr(response, "status_code", None)), reason, identity)
        return _NO_ANSWER if failed and not answer.code else answer

    def read_headers(self, status: int, headers: object) -> AnswerFacts:
        return AnswerFacts(_code(status), "", self.who.identify(header_pairs(headers)))

    def session(self, response: Any) -> str:
        """Return the hash of the sticky cookie that the answer sets, or else of the sticky cookie in the request;
        empty if there is no cookie."""
        cookie = self._cookie
        if not cookie:
            return ""
        request = header_pairs(getattr(getattr(response, "request", None), "headers", None))
        pairs = header_pairs(getattr(response, "headers", None))
        return hash_session(_cookie_in(pairs, "set-cookie", cookie) or _cookie_in(request, "cookie", cookie))


_NO_ANSWER = AnswerFacts("", "", NO_ANSWER)


def _lines(name: str, entry: Entry) -> Pairs:
    if entry is None:
        return []
    if isinstance(entry, str):
        return [(name, entry)]
    return [(name, value) for _, value in ([entry] if isinstance(entry[0], str) else entry)]


def _joined(entry: Entry) -> str:
    return functools.reduce(join_header, (value for _, value in _lines("", entry)), "")


def _is_answered(time: str) -> bool | None:
    time = time.rstrip(" \t")
    return not time.endswith("-") if time else None


def _code(status: object) -> str:
    text = str(status) if isinstance(status, int | str) else ""
    return text if _STATUS.fullmatch(text) else ""


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return bytes(value).decode("latin-1") if isinstance(value, bytes | bytearray) else ""


def header_pairs(headers: object) -> Pairs:
    items = getattr(headers, "items", None)
    entries = items() if callable(items) else headers
    pairs: Pairs = []
    for name, value in itertools.islice(entries, HEADERS_LIMIT) if isinstance(entries, Iterable) else ():
        values = value if isinstance(value, list | tuple) else (value,)
        pairs += [(_text(name), _text(each)) for each in values]
    return pairs


def _cookie_in(pairs: Pairs, header: str, cookie: str) -> str:
    """Return the value of a cookie. Commas are separators, because the library requests joins repeated headers with
    commas."""
    ends = ",;" if header == "cookie" else ","
    pattern = rf"(?:^|[{ends}])\s*{re.escape(cookie)}\s*=([^;,]*)"
    values = (re.search(pattern, value) for name, value in pairs if name.lower() == header)
    return next((match[1].strip() for match in values if match), "")
