"""Who answered a sample, read off whatever a client left in Locust's `request` event.

Responses of HttpUser and FastHttpUser differ in all they can: `headers` is a mapping without case, one that yields
repeated headers one by one, or None; the status of an answer that never came is 0 or None; a client of the user's own
hands over anything. What cannot be read counts as not told, and nothing here raises.
"""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from geventhttpclient.header import Headers
from requests.structures import CaseInsensitiveDict

from switchover.identity import NOBODY, UNKNOWN, Identity, WhoAnswered, clean, hash_session
from switchover.locust.remember import remember
from switchover.target import IdentitySettings

Pairs = list[tuple[str, str]]

HEADERS_LIMIT = 1000
"""Header lines of one answer that are looked at."""
CACHE_LIMIT = 1024
"""Answers remembered, and cookies with their hashes."""
_STATUS = re.compile(r"[1-9][0-9]{2}")


_field: Any = dict.get
"""The stored form of a header, name and value, past the accessors that would make a copy of it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What an answer tells of itself; empty where there was none."""

    code: str
    message: str
    identity: Identity
    session: str


class Attribution:
    """Reads answers for one run, whose names are bounded."""

    def __init__(self, settings: IdentitySettings) -> None:
        self._who = WhoAnswered(settings)
        self._cookie = settings.sticky_cookie
        self._sessions: dict[Hashable, str] = {}
        self._backend = settings.backend_header.lower()
        self._balancer = settings.balancer_header.lower()
        self._time = settings.upstream_time_header.lower()
        self._told: dict[Hashable, Hashable] = {}
        self._answers: dict[Hashable, tuple[str, str, Identity]] = {}

    @property
    def names_overflowed(self) -> bool:
        return self._who.backends.overflowed or self._who.balancers.overflowed

    def told(self, response: Any) -> Hashable:
        """All that the answer's code, message and identity depend on: equal ones need not be read again.

        Raises whatever it meets in a response that is not of one of our clients.
        """
        headers = response.headers
        fields: Any
        if type(headers) is Headers:
            inner = response._response
            status, reason, fields = inner.get_code(), inner.status_message, headers
        elif type(headers) is CaseInsensitiveDict:
            status, reason, fields = response.status_code, response.reason, headers._store
        else:
            # BalancerHttpUser's: equal answers share them, and they never change.
            told = self._told.get(headers)
            return told or remember(self._told, headers, self._told_by_mapping(response, headers), CACHE_LIMIT)
        time = _field(fields, self._time)
        return (
            status,
            reason,
            _field(fields, self._backend),
            _field(fields, self._balancer),
            time if time is None else _is_answered(time[1]),
        )

    def _told_by_mapping(self, response: Any, headers: Mapping[str, str]) -> Hashable:
        time = headers.get(self._time)
        return (
            response.status_code,
            response.reason,
            headers.get(self._backend),
            headers.get(self._balancer),
            time if time is None else _is_answered(time),
        )

    def read(self, response: object, *, failed: bool) -> Answer:
        """The answer that a response object holds. A good one without a status is nobody's in particular."""
        key = self._key(response)
        read = None if key is None else self._answers.get(key)
        if read is None:
            read = _code(_attribute(response, "status_code")), _message(response), self._identity(response)
            if key is not None:
                remember(self._answers, key, read, CACHE_LIMIT)
        code, message, identity = read
        if not code and failed:
            message, identity = "", NOBODY
        return Answer(code, message, identity, self._session(response))

    def _key(self, response: object) -> Hashable | None:
        """What the answer told, if it can be known again by that."""
        try:
            told = self.told(response)
            hash(told)
        except Exception:
            return None
        return told

    def _identity(self, response: object) -> Identity:
        pairs = _pairs(_attribute(response, "headers"))
        return self._who.identify(pairs) if pairs else UNKNOWN

    def read_headers(self, status: int, headers: Mapping[str, object]) -> Answer:
        """The answer that sent us elsewhere."""
        pairs = _pairs(headers)
        session = hash_session(_cookie_set(pairs, self._cookie)) if self._cookie else ""
        return Answer(_code(status), "", self._who.identify(pairs), session)

    def session(self, response: Any) -> str:
        """The sticky session of the request, hashed; empty if there is none. Raises as `told` does."""
        headers = response.headers
        cookies: Hashable
        if type(headers) is Headers:
            received, sent = _field(headers, "set-cookie"), _field(response.request.headers, "cookie")
            cookies = (tuple(received) if type(received) is list else received), sent
        elif type(headers) is CaseInsensitiveDict:
            cookies = _field(headers._store, "set-cookie"), _field(response.request.headers._store, "cookie")
        elif response.cookies_sent:
            cookies = headers, response.cookies_sent
        else:
            return self._session(response)
        session = self._sessions.get(cookies)
        return remember(self._sessions, cookies, self._session(response), CACHE_LIMIT) if session is None else session

    def _session(self, response: object) -> str:
        """The sticky cookie that the answer set, else the one that the request carried."""
        cookie = self._cookie
        if not cookie:
            return ""
        value = _cookie_set(_pairs(_attribute(response, "headers")), cookie)
        return hash_session(value or _cookie_sent(response, cookie))


def _is_answered(time: str) -> bool:
    """As `identity` reads Nginx's header time; it differs with every answer, what it says does not."""
    return not time.rstrip(" \t").endswith("-")


def _attribute(thing: object, name: str) -> object:
    """An attribute; None if there is none, or if looking at it fails, as a property may."""
    try:
        return getattr(thing, name, None)
    except Exception:
        return None


def _code(status: object) -> str:
    text = str(status) if isinstance(status, int | str) else ""
    return text if _STATUS.fullmatch(text) else ""


def _message(response: object) -> str:
    """The reason phrase, which FastHttpUser keeps a floor below."""
    reason = _attribute(response, "reason")
    if reason is None:
        reason = _attribute(_attribute(response, "_response"), "status_message")
    return clean(_text(reason))


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return bytes(value).decode("latin-1") if isinstance(value, bytes | bytearray) else ""


def _pairs(headers: object) -> Pairs:
    """Headers as names and values, a repeated one as often as it came."""
    found: Pairs = []
    try:
        for name, value in _items(headers):
            for single in value if isinstance(value, list | tuple) else (value,):
                found.append((_text(name), _text(single)))
                if len(found) >= HEADERS_LIMIT:
                    return found
    except Exception:
        return found
    return found


def _items(headers: object) -> Iterator[tuple[object, object]]:
    if headers is None:
        return
    items = getattr(headers, "items", None)
    pairs = items() if callable(items) else headers
    if isinstance(pairs, Iterable):
        yield from pairs


def _cookie_set(pairs: Pairs, cookie: str) -> str:
    for name, value in pairs:
        if name.lower() == "set-cookie":
            # requests joins repeated headers with commas.
            found = re.search(rf"(?:^|,)\s*{re.escape(cookie)}\s*=([^;,]*)", value)
            if found:
                return found[1].strip()
    return ""


def _cookie_sent(response: object, cookie: str) -> str:
    request = _attribute(response, "request")
    for name, value in _pairs(_attribute(request, "headers")):
        if name.lower() == "cookie":
            for part in value.split(";"):
                key, _, content = part.partition("=")
                if key.strip() == cookie:
                    return content.strip()
    return ""
