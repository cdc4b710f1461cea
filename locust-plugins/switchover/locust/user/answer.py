"""An answer that a `BalancerHttpUser` receives. The package `switchover.http` parses the bytes."""

import zlib
from functools import cached_property, lru_cache

from requests.structures import CaseInsensitiveDict

from switchover.http.answer import CountedAnswer
from switchover.http.head import UNTIL_CLOSE, ParsedHead

KNOWN_LIMIT = 1024
_NO_LIMIT = 1 << 62


class ResponseHead(ParsedHead):
    """The head of an answer, with the headers as a mapping."""

    def __init__(self, raw: bytes = b"") -> None:
        super().__init__(raw)
        if self.status == 101:
            self.violation = "the server changed to another protocol without a request"
        self.encoding = self.by_name.get("content-encoding", "").lower()
        self.location = self.by_name.get("location")
        self.sets_cookies = "set-cookie" in self.by_name

    @cached_property
    def headers(self) -> CaseInsensitiveDict[str]:
        """The headers in the server's order. The values of a repeated header are joined with commas."""
        return CaseInsensitiveDict((name, self.by_name[name.lower()]) for name, _ in self.pairs)


read_head = lru_cache(KNOWN_LIMIT)(ResponseHead)


NO_HEAD = ResponseHead()
"""The head of a response without an answer: the status is 0, and there are no headers."""


class _Body(bytearray):
    """The bytes of a body. If the body is larger than the limit, its bytes are counted but not stored."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit
        self.nbytes = 0

    @property
    def kept(self) -> bool:
        return self.nbytes <= self.limit

    def __iadd__(self, data: bytes) -> "_Body":  # type: ignore[misc, override]
        self.nbytes += len(data)
        if self.kept:
            self.extend(data)
        else:
            self.clear()
        return self


class Answer(CountedAnswer[ResponseHead]):
    content: _Body

    def __init__(self, keep_limit: int, is_head: bool = False) -> None:
        """`is_head`: True if the request was HEAD, so that no body follows."""
        super().__init__(read_head, _Body(keep_limit), _NO_LIMIT, has_body=not is_head)
        self.keep_limit = keep_limit

    @property
    def body(self) -> bytes:
        """The part of the body that was received; empty if the body is larger than the limit."""
        return bytes(self.content)

    @property
    def delimited(self) -> bool:
        """False if only the end of the connection shows the end of the answer."""
        return self.head is None or not self._has_body or self.head.length != UNTIL_CLOSE

    @property
    def persistent(self) -> bool:
        """True if the answer allows a further request on the connection."""
        return self.head is not None and self.head.persistent and not self.surplus and self.delimited


ACCEPTED = "gzip"
"""The only content coding that the client accepts for a body (RFC 9110 section 8.4.1)."""
_GZIP = 16 + zlib.MAX_WBITS


def decode(body: bytes, encoding: str, limit: int) -> bytes | None:
    """Return the decompressed body; None if the body is longer than `limit`. Raises ValueError for invalid gzip.

    A body with a content coding that the client did not request is returned unchanged.
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
    if not member.eof or member.unused_data.strip(b"\0"):  # servers may append padding after the compressed body
        raise ValueError("the gzip body is truncated, or has more than one member")
    return unpacked
