"""Who answered a sample, read off whatever a client left in Locust's `request` event.

Responses of HttpUser and FastHttpUser differ in all they can: `headers` is a mapping without case, one that yields
repeated headers one by one, or None; the status of an answer that never came is 0 or None; a client of the user's own
hands over anything. What cannot be read counts as not told, and nothing here raises.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from switchover.identity import NOBODY, UNKNOWN, Identity, WhoAnswered, clean, hash_session
from switchover.target import IdentitySettings

Pairs = list[tuple[str, str]]

HEADERS_LIMIT = 1000
"""Header lines of one answer that are looked at."""
SESSIONS_LIMIT = 10_000
"""Cookies whose hash is remembered."""
_STATUS = re.compile(r"[1-9][0-9]{2}")


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
        self._sessions: dict[str, str] = {}

    @property
    def names_overflowed(self) -> bool:
        return self._who.backends.overflowed or self._who.balancers.overflowed

    def read(self, response: object, *, failed: bool) -> Answer:
        """The answer that a response object holds. A good one without a status is nobody's in particular."""
        code = _code(_attribute(response, "status_code"))
        if not code and failed:
            return Answer("", "", NOBODY, self._session([], response))
        pairs = _pairs(_attribute(response, "headers"))
        identity = self._who.identify(pairs) if pairs else UNKNOWN
        return Answer(code, _message(response), identity, self._session(pairs, response))

    def read_headers(self, status: int, headers: Mapping[str, object]) -> Answer:
        """The answer that sent us elsewhere."""
        pairs = _pairs(headers)
        return Answer(_code(status), "", self._who.identify(pairs), self._session(pairs, None))

    def session(self, response: object) -> str:
        """The sticky session of the request, hashed; empty if there is none."""
        return self._session(_pairs(_attribute(response, "headers")), response)

    def _session(self, pairs: Pairs, response: object) -> str:
        """The sticky cookie that the answer set, else the one that the request carried."""
        name = self._cookie
        if not name:
            return ""
        value = _cookie_set(pairs, name) or _cookie_sent(response, name)
        session = self._sessions.get(value)
        if session is None:
            if len(self._sessions) >= SESSIONS_LIMIT:
                self._sessions.clear()
            session = self._sessions[value] = hash_session(value)
        return session


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
