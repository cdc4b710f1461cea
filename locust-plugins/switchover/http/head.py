"""Parse the status line and headers of an HTTP/1.x response (RFC 9112)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from switchover.model.failure_kind import FailureKind
from switchover.model.identity import (
    NO_ANSWER,
    Identity,
    IdentitySettings,
    Names,
    WhoAnswered,
    clean,
    hash_session,
)
from switchover.rundir.sample_log import Sample

HEAD_LIMIT = 64 * 1024
"""The maximum length, in bytes, of status line and headers. A response with a longer head is invalid."""
CACHE_LIMIT = 64
"""The maximum number of cached response heads. The Date header changes every second, so older heads do not occur
again."""
UNTIL_CLOSE = -1
CHUNKED = -2

WORKER_HEADER = "x-worker"
"""The header with the process id of the balancer: `%pid` in HAProxy, `$pid` in Nginx."""
WORKERS_LIMIT = 4096
"""The maximum number of distinct process ids in a run. Each reload starts new processes."""

BODILESS = frozenset({204, 304})
"""Statuses of responses without a body (RFC 9112 section 6.3)."""

_FOLD = re.compile(r"\r?\n[ \t]+")
"""A line break inside the value of a header. A client replaces the line break with a space (RFC 9112 section 5.2)."""
_STATUS_LINE = re.compile(r"HTTP/1\.([0-9]) ([1-9][0-9]{2})(?: ([^\r\n]*))?\r?")
_LENGTH = re.compile(r"[0-9]{1,18}")


class ParsedHead:
    """The status line, the headers and the body length. Never raises: an invalid head has a `violation`."""

    status = 0
    reason = ""
    length = 0
    persistent = False
    """True if the headers keep the connection open. But the server may close the connection to mark the end of the
    body."""
    violation = ""
    """The reason why the head is invalid. Empty: the head is valid."""

    def __init__(self, raw: bytes = b"") -> None:
        self.pairs: list[tuple[str, str]] = []
        self.by_name: dict[str, str] = {}
        """The header values; the key is the lower-case name. The values of a repeated header are joined with
        commas."""
        if raw:
            self._read(raw)

    def _read(self, raw: bytes) -> None:
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
            # An HTTP/1.0 connection closes by default. An HTTP/1.1 connection stays open by default.
            tokens = _tokens(self.by_name.get("connection", "").lower())
            self.persistent = "keep-alive" in tokens if start[1] == "0" else "close" not in tokens

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
            previous = by_name.get(lowered)
            by_name[lowered] = value if previous is None else f"{previous}, {value}"
        return ""


class AnswerHead(ParsedHead):
    identity: Identity = NO_ANSWER
    session = ""
    worker = ""


class HeadReader:
    """Parses response heads (status line and headers). Within one run, the numbers of distinct backends, balancers
    and process ids are limited."""

    def __init__(self, settings: IdentitySettings) -> None:
        self.who = WhoAnswered(settings)
        self._cookie = settings.sticky_cookie
        self._workers = Names(WORKERS_LIMIT)
        self.read = lru_cache(CACHE_LIMIT)(self._parse)

    def head_of(self, status: int, pairs: Sequence[tuple[str, str]]) -> AnswerHead:
        head = AnswerHead()
        head.status = status
        self._identify(head, pairs)
        return head

    def _parse(self, raw: bytes) -> AnswerHead:
        head = AnswerHead(raw)
        if not head.violation:
            head.persistent = head.persistent and head.length != UNTIL_CLOSE and head.status != 101
            head.session = self._session(head.pairs) if self._cookie else ""
            self._identify(head, head.pairs)
        return head

    def _identify(self, head: AnswerHead, pairs: Sequence[tuple[str, str]]) -> None:
        head.identity, head.worker = self.who.identify(pairs), self._worker_of(pairs)

    def _worker_of(self, pairs: Iterable[tuple[str, str]]) -> str:
        """Return the value of `X-Worker`. After `WORKERS_LIMIT` distinct values, a new value becomes `other`."""
        value = next((value for name, value in pairs if name.lower() == WORKER_HEADER), None)
        return "" if value is None else self._workers.admit(value)

    def _session(self, pairs: list[tuple[str, str]]) -> str:
        for name, value in pairs:
            if name.lower() == "set-cookie":
                cookie, _, content = value.partition(";")[0].partition("=")
                if cookie.strip() == self._cookie:
                    return hash_session(content.strip())
        return ""


NO_HEAD = AnswerHead()


@dataclass(slots=True, eq=False, kw_only=True)
class TimedRequest:
    """The times of a request in ns of the monotonic clock, and the kind of failure. If a request did not reach a
    step, the time of the step is 0."""

    due_ns: int = 0
    start_ns: int = 0
    connected_ns: int = 0
    first_ns: int = 0
    end_ns: int = 0
    sent_bytes: int = 0
    error: FailureKind | None = None
    message: str = ""


def sample_of(exchange: TimedRequest, head: AnswerHead | None, anchor_ns: int, **columns: Any) -> Sample:
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
    """Return the body length (RFC 9112 section 6.3), and the reason why the head is invalid (empty for a valid
    head)."""
    if 100 <= status < 200 or status in BODILESS:
        return 0, ""
    codings = by_name.get("transfer-encoding")
    if codings is not None:
        return (CHUNKED if _tokens(codings.lower())[-1] == "chunked" else UNTIL_CLOSE), ""
    lengths = by_name.get("content-length")
    if lengths is None:
        return UNTIL_CLOSE, ""
    if len({*_tokens(lengths)}) > 1:
        return 0, "two different Content-Length headers"
    text = _tokens(lengths)[0]
    if not _LENGTH.fullmatch(text):
        return 0, "a Content-Length that is not a number"
    return int(text), ""


def _tokens(value: str) -> list[str]:
    return [part.strip() for part in value.split(",")]
