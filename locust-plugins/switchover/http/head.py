"""Status line and headers of an HTTP/1.x response (RFC 9112), read from arbitrary bytes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from switchover.model.identity import (
    NO_ANSWER,
    UNKNOWN,
    Identity,
    IdentitySettings,
    Names,
    WhoAnswered,
    clean,
    hash_session,
)
from switchover.rundir.sample_log import Sample

HEAD_LIMIT = 64 * 1024
"""The maximum length, in bytes, of status line and headers. A longer head is no response for this client."""
CACHE_LIMIT = 64
"""Heads remembered. Heads differ once a second by their Date, so few are in use at a time."""
UNTIL_CLOSE = -1
"""Body length of a response that ends with the connection."""
CHUNKED = -2

WORKER_HEADER = "x-worker"
"""The header with the balancer's process: `%pid` in HAProxy, `$pid` in Nginx."""
WORKERS_LIMIT = 4096
"""Distinct processes of a run: each reload starts some."""

BODILESS = frozenset({204, 304})
"""Statuses that no body follows (RFC 9112 section 6.3)."""

_FOLD = re.compile(r"\r?\n[ \t]+")
"""A header continued on the next line, which a user agent reads as a blank (RFC 9112 section 5.2)."""
_STATUS_LINE = re.compile(r"HTTP/1\.([0-9]) ([1-9][0-9]{2})(?: ([^\r\n]*))?\r?")
_LENGTH = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class AnswerHead:
    """The head of a response, as a probe needs it."""

    status: int = 0
    reason: str = ""
    length: int = 0
    persistent: bool = False
    identity: Identity = UNKNOWN
    session: str = ""
    """The sticky cookie's value, hashed."""
    worker: str = ""
    """The process of the balancer that answered, from its header."""
    violation: str = ""
    """The reason why this is no HTTP response; the other fields then mean nothing."""

    @property
    def interim(self) -> bool:
        return is_interim(self.status)


def is_interim(status: int) -> bool:
    """Return whether another response follows (RFC 9110 section 15.2). 101 leaves HTTP, and nothing follows."""
    return 100 <= status < 200 and status != 101


class ParsedHead:
    """Status line and headers, and the end of the body. Never raises: an invalid head has a `violation`."""

    __slots__ = ("by_name", "length", "pairs", "persistent", "reason", "status", "violation")

    def __init__(self, raw: bytes) -> None:
        """`raw` includes the blank line."""
        self.status = 0
        self.reason = ""
        self.length = 0
        self.persistent = False
        """The server keeps the connection open, as far as the framing allows."""
        self.pairs: list[tuple[str, str]] = []
        self.by_name: dict[str, str] = {}
        """Values by name in lower case; values of a repeated header are joined with commas."""
        text = raw.decode("latin-1")
        lines = (_FOLD.sub(" ", text) if "\n " in text or "\n\t" in text else text).split("\n")
        start = _STATUS_LINE.fullmatch(lines[0])
        self.violation = self._read_fields(lines[1:]) if start else "the answer has no HTTP/1.x status line"
        if start is None or self.violation:
            return
        status = int(start[2])
        self.length, self.violation = _framing(status, self.by_name)
        if not self.violation:
            self.status = status
            self.reason = clean(start[3] or "")
            # HTTP/1.0 closes unless a header keeps it open. HTTP/1.1 stays open unless a header closes it.
            tokens = _tokens(self.by_name.get("connection", "").lower())
            self.persistent = "keep-alive" in tokens if start[1] == "0" else "close" not in tokens

    @property
    def interim(self) -> bool:
        return is_interim(self.status)

    def _read_fields(self, lines: list[str]) -> str:
        pairs, by_name = self.pairs, self.by_name
        for line in lines:
            text = line.rstrip("\r")
            if not text:
                continue
            name, colon, value = text.partition(":")
            name, value = name.strip(), value.strip(" \t")
            if not colon or not name:
                return "a header without a name or a colon"
            pairs.append((name, value))
            lowered = name.lower()
            known = by_name.get(lowered)
            by_name[lowered] = value if known is None else f"{known}, {value}"
        return ""


class HeadReader:
    """Read heads for one run. It bounds the names, and remembers heads that repeat."""

    def __init__(self, settings: IdentitySettings) -> None:
        self._who = WhoAnswered(settings)
        self._cookie = settings.sticky_cookie
        self._workers = Names(WORKERS_LIMIT)
        self._cache: dict[bytes, AnswerHead] = {}

    @property
    def names_overflowed(self) -> bool:
        return self._who.backends.overflowed or self._who.balancers.overflowed

    def head_of(self, status: int, pairs: Sequence[tuple[str, str]]) -> AnswerHead:
        return AnswerHead(status=status, identity=self._who.identify(pairs), worker=self._worker_of(pairs))

    def read(self, raw: bytes) -> AnswerHead:
        """Return the head in `raw`, blank line included. Never raises: an invalid head has a `violation`."""
        head = self._cache.get(raw)
        if head is None:
            if len(self._cache) >= CACHE_LIMIT:
                self._cache.clear()
            head = self._cache[raw] = self._parse(raw)
        return head

    def _parse(self, raw: bytes) -> AnswerHead:
        found = ParsedHead(raw)
        if found.violation:
            return AnswerHead(violation=found.violation)
        return AnswerHead(
            status=found.status,
            reason=found.reason,
            length=found.length,
            persistent=found.persistent and found.length != UNTIL_CLOSE and found.status != 101,
            identity=self._who.identify(found.pairs),
            session=self._session(found.pairs) if self._cookie else "",
            worker=self._worker_of(found.pairs),
        )

    def _worker_of(self, pairs: Iterable[tuple[str, str]]) -> str:
        """Return the value of `X-Worker`, short and printable; their number is bounded."""
        for name, value in pairs:
            if name.lower() == WORKER_HEADER:
                return self._workers.admit(value)
        return ""

    def _session(self, pairs: list[tuple[str, str]]) -> str:
        for name, value in pairs:
            if name.lower() == "set-cookie":
                cookie, _, content = value.partition(";")[0].partition("=")
                if cookie.strip() == self._cookie:
                    return hash_session(content.strip())
        return ""


NO_HEAD = AnswerHead(identity=NO_ANSWER)


def sample_of(exchange: Any, head: AnswerHead | None, anchor_ns: int, **columns: Any) -> Sample:
    """Return the row of an exchange. Its times are in ns of the monotonic clock; 0: not reached."""
    head, start_ns = head or NO_HEAD, exchange.start_ns
    return Sample(
        start_us=(start_ns + anchor_ns) // 1000,
        end_us=(exchange.end_ns + anchor_ns) // 1000,
        intended_us=(exchange.due_ns + anchor_ns) // 1000 if exchange.due_ns else None,
        code=str(head.status) if head.status else "",
        message=head.reason,
        success=exchange.error is None,
        failure_message=exchange.message,
        sent_bytes=exchange.sent_bytes,
        latency_us=max(0, exchange.first_ns - start_ns) // 1000 if exchange.first_ns else 0,
        connect_us=(exchange.connected_ns - start_ns) // 1000 if exchange.connected_ns else 0,
        identity=head.identity,
        error=exchange.error,
        session=head.session,
        **columns,
    )


def _framing(status: int, by_name: Mapping[str, str]) -> tuple[int, str]:
    """Return the end of the body (RFC 9112 section 6.3), and the violation, if any."""
    if 100 <= status < 200 or status in BODILESS:
        return 0, ""
    codings = by_name.get("transfer-encoding")
    if codings is not None:
        return (CHUNKED if _tokens(codings.lower())[-1] == "chunked" else UNTIL_CLOSE), ""
    lengths = by_name.get("content-length")
    if lengths is None:
        return UNTIL_CLOSE, ""
    if len({*_tokens(lengths)}) > 1:
        return 0, "two different Content-Length"
    text = _tokens(lengths)[0]
    if not _LENGTH.fullmatch(text):
        return 0, "a Content-Length that is no number"
    return int(text), ""


def _tokens(value: str) -> list[str]:
    return [part.strip() for part in value.split(",")]
