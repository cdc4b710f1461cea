"""An answer to a `BalancerHttpUser`, with headers and body. `switchover.http` parses the bytes."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from switchover.http.answer import CountedAnswer
from switchover.http.head import UNTIL_CLOSE, ParsedHead

KNOWN_LIMIT = 1024
"""The highest number of remembered heads. The cache is useless if each answer has a different head."""
_NO_LIMIT = 1 << 62


class Headers(Mapping[str, str]):
    """The headers of an answer: read-only, matched without case, in the server's order.

    Commas join the values of a repeated header; `get_all` returns them separately. Equal answers share one `Headers`.
    It cannot be changed and is equal only to itself, so it can be the key of a cache.
    """

    __slots__ = ("_by_name", "_lines", "_shown")

    def __init__(self, lines: Sequence[tuple[str, str]] = (), by_name: Mapping[str, str] | None = None) -> None:
        """`by_name`: the values by the lower-case name, with repeated lines joined."""
        self._lines = lines
        self._by_name = by_name or {}
        names: dict[str, str] = {}
        for name, _ in lines:
            names.setdefault(name.lower(), name)
        self._shown = {name: self._by_name[lowered] for lowered, name in names.items()}

    def __getitem__(self, name: str) -> str:
        return self._by_name[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._shown)

    def __len__(self) -> int:
        return len(self._shown)

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"Headers({self._shown!r})"

    def get_all(self, name: str) -> list[str]:
        lowered = name.lower()
        return [value for known, value in self._lines if known.lower() == lowered]


class ResponseHead(ParsedHead):
    """A head with its headers as a mapping."""

    __slots__ = ("_headers", "encoding", "location", "sets_cookies")

    def __init__(self, raw: bytes) -> None:
        super().__init__(raw)
        if self.status == 101:
            self.violation = "the server changed to another protocol, unasked"
        self._headers: Headers | None = None
        self.encoding = self.by_name.get("content-encoding", "").lower()
        self.location = self.by_name.get("location")
        self.sets_cookies = "set-cookie" in self.by_name

    @property
    def headers(self) -> Headers:
        if self._headers is None:
            self._headers = Headers(self.pairs, self.by_name)
        return self._headers


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
