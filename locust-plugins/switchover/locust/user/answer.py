"""An answer to a `BalancerHttpUser`, with headers and body. `switchover.http` parses the bytes."""

import zlib
from functools import cached_property, lru_cache

from requests.structures import CaseInsensitiveDict

from switchover.http.answer import CountedAnswer
from switchover.http.head import UNTIL_CLOSE, ParsedHead

KNOWN_LIMIT = 1024
"""The highest number of remembered heads. The cache is useless if each answer has a different head."""
_NO_LIMIT = 1 << 62


class ResponseHead(ParsedHead):
    """A head with its headers as a mapping."""

    def __init__(self, raw: bytes) -> None:
        super().__init__(raw)
        if self.status == 101:
            self.violation = "the server changed to another protocol without a request"
        self.encoding = self.by_name.get("content-encoding", "").lower()
        self.location = self.by_name.get("location")
        self.sets_cookies = "set-cookie" in self.by_name

    @cached_property
    def headers(self) -> CaseInsensitiveDict[str]:
        """The headers in the server's order. Commas join the values of a repeated header."""
        return CaseInsensitiveDict((name, self.by_name[name.lower()]) for name, _ in self.pairs)


read_head = lru_cache(KNOWN_LIMIT)(ResponseHead)
"""Equal heads are parsed once."""


class _Body:
    """The bytes of a body up to a limit. A larger body is only counted."""

    __slots__ = ("kept", "limit", "nbytes", "parts")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.nbytes = 0
        self.kept = True
        self.parts: list[bytes] = []

    def __iadd__(self, data: bytes) -> "_Body":
        self.nbytes += len(data)
        if self.nbytes <= self.limit:
            self.parts.append(data)
        elif self.kept:
            self.kept = False
            self.parts = []
        return self


class Answer(CountedAnswer[ResponseHead]):
    """An answer with its body."""

    content: _Body

    def __init__(self, keep_limit: int, is_head: bool = False) -> None:
        """`is_head`: the answer is for a HEAD request. Its headers describe a body that does not follow."""
        super().__init__(read_head, _Body(keep_limit), _NO_LIMIT, has_body=not is_head)
        self.keep_limit = keep_limit

    @property
    def body(self) -> bytes:
        """The received part of the body; empty if the body is larger than the limit."""
        return b"".join(self.content.parts)

    @property
    def delimited(self) -> bool:
        """True if the end is known without the end of the connection."""
        return self.head is None or not self._has_body or self.head.length != UNTIL_CLOSE

    @property
    def persistent(self) -> bool:
        """True if the answer allows another request on the connection."""
        return self.head is not None and self.head.persistent and not self.surplus and self.delimited


ACCEPTED = "gzip"
"""The content coding of a body that the client accepts (RFC 9110 section 8.4.1)."""
_GZIP = 16 + zlib.MAX_WBITS


def decode(body: bytes, encoding: str, limit: int) -> bytes | None:
    """Return the body without gzip; None if it is longer than `limit`. Raises ValueError for a wrong body.

    A body with another coding, which the client never requests, is returned unchanged.
    """
    if encoding.strip() not in ("gzip", "x-gzip"):
        return body
    member = zlib.decompressobj(_GZIP)
    try:
        unpacked = member.decompress(body, limit + 1)
    except zlib.error as error:
        raise ValueError("the body is not gzip") from error
    if len(unpacked) > limit:
        return None
    if not member.eof or member.unused_data.strip(b"\0"):  # servers may append padding
        raise ValueError("the gzip body is truncated, or has more than one member")
    return unpacked
