"""The head of an answer: what frames its body, what becomes of the connection, and its headers if they are asked for.

Answers of one server differ in their Date alone, once a second. So a head is parsed once and found again by its
bytes, which also lets all those answers share their headers.
"""

from switchover.locust.balancer_user.headers import Fields, Headers

CHUNKED = -1
UNTIL_CLOSE = -2
"""`Head.length` where no number is known before the body has come."""
KNOWN_LIMIT = 1024
"""Heads that are remembered; a server that puts something new into each answer makes them all useless."""
BODILESS = frozenset({204, 304})
"""RFC 9112 section 6.3: no body follows, whatever the headers say."""


class Head:
    """One final (not interim) head."""

    __slots__ = (
        "_fields",
        "_headers",
        "encoding",
        "length",
        "location",
        "persistent",
        "reason",
        "sets_cookies",
        "status",
    )

    def __init__(self, status: int, reason: str, version: str, fields: Fields) -> None:
        self._fields = fields
        self._headers: Headers | None = None
        self.status = status
        self.reason = reason
        self.length = UNTIL_CLOSE
        """Of the body of an answer to anything but HEAD: bytes, `CHUNKED` or `UNTIL_CLOSE`."""
        self.encoding = ""
        self.location: str | None = None
        self.sets_cookies = False
        chunked = False
        connection = b""
        for name, value in fields:
            lowered = name.lower()
            if lowered == b"content-length":
                self.length = int(value)
            elif lowered == b"transfer-encoding":
                chunked = value.lower().rpartition(b",")[2].strip() == b"chunked"
            elif lowered == b"connection":
                connection += b"," + value.lower()
            elif lowered == b"content-encoding":
                self.encoding = value.decode("latin-1").strip().lower()
            elif lowered == b"location":
                self.location = value.decode("latin-1")
            elif lowered == b"set-cookie":
                self.sets_cookies = True
        if chunked:
            self.length = CHUNKED
        if status in BODILESS:
            self.length = 0
        tokens = {token.strip() for token in connection.split(b",")}
        self.persistent = b"close" not in tokens and (version >= "1.1" or b"keep-alive" in tokens)
        """The server lets the connection go on (RFC 9112 section 9.3), as far as the framing allows."""

    @property
    def headers(self) -> Headers:
        if self._headers is None:
            self._headers = Headers(self._fields)
        return self._headers


class KnownHeads:
    """Heads by their bytes."""

    __slots__ = ("by_bytes",)

    def __init__(self) -> None:
        self.by_bytes: dict[bytes, Head] = {}

    def remember(self, raw: bytes, head: Head) -> None:
        if len(self.by_bytes) >= KNOWN_LIMIT:
            self.by_bytes.clear()
        self.by_bytes[raw] = head
