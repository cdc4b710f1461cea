"""One answer of `BalancerHttpUser` as its bytes arrive: read by `switchover.http`, with its headers and its body.

Equal heads are read once, and an answer of known length that comes at once needs nothing but a look-up.
"""

from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence

from switchover.http.answer import AnswerProgress, CountedAnswer
from switchover.http.head import UNTIL_CLOSE, ParsedHead

KNOWN_LIMIT = 1024
"""Heads that are remembered; a server that puts something new into each answer makes them all useless."""
_NO_LIMIT = 1 << 62


class Headers(Mapping[str, str]):
    """The headers of an answer: read-only, matched without case, in the server's order.

    A header that came more than once is joined with commas; `get_all` has its lines apart. Equal answers share one
    `Headers`. So it cannot be changed, and is equal only to itself: results can be cached by it.
    """

    __slots__ = ("_by_name", "_lines", "_shown")

    def __init__(self, lines: Sequence[tuple[str, str]] = (), by_name: Mapping[str, str] | None = None) -> None:
        """`by_name`: the lines by their names in lower case, repeated ones joined."""
        self._lines = lines
        self._by_name = by_name or {}
        names: dict[str, str] = {}
        for name, _ in lines:
            names.setdefault(name.lower(), name)
        self._shown = {name: self._by_name[lowered] for lowered, name in names.items()}

    def __getitem__(self, name: str) -> str:
        return self._by_name[name.lower()]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._by_name

    def __iter__(self) -> Iterator[str]:
        return iter(self._shown)

    def __len__(self) -> int:
        return len(self._shown)

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"Headers({self._shown!r})"

    def items(self) -> ItemsView[str, str]:
        return self._shown.items()

    def get_all(self, name: str, otherwise: Iterable[str] = ()) -> list[str]:
        lowered = name.lower()
        return [value for known, value in self._lines if known.lower() == lowered] or list(otherwise)


class ResponseHead(ParsedHead):
    """A head with what the client asks of its headers."""

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


class KnownHeads:
    __slots__ = ("_read", "by_bytes")

    def __init__(self) -> None:
        self.by_bytes: dict[bytes, ResponseHead] = {}
        """Final heads of answers with a known length."""
        self._read: dict[bytes, ResponseHead] = {}

    def read(self, raw: bytes) -> ResponseHead:
        head = self.by_bytes.get(raw) or self._read.get(raw)
        if head is None:
            head = ResponseHead(raw)
            known = self.by_bytes if head.status >= 200 and head.length >= 0 else self._read
            if len(known) >= KNOWN_LIMIT:
                known.clear()
            known[raw] = head
        return head


class _Body:
    """The bytes of a body up to a limit; nothing of a larger one, which is counted."""

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


class Answer:
    """Feed it what was received; `head` is there from the moment that the headers are complete."""

    # Defaults stand on the class, because most answers change few of them.
    head: ResponseHead | None = None
    nbytes = 0
    """Bytes of the body, without the frames of chunks."""
    kept = True
    surplus = False
    """Bytes came behind the end, so the connection is of no further use."""
    violation = ""
    body = b""
    """All of it when the answer is done, or broken off; nothing if it is larger than what is kept."""
    _reader: CountedAnswer[ResponseHead] | None = None
    """Reads an answer whose head is not known, or whose length is not."""

    def __init__(self, heads: KnownHeads, keep_limit: int, is_head: bool = False) -> None:
        """`is_head`: the answer to a HEAD request, whose headers speak of a body that does not follow."""
        self._heads = heads
        self.keep_limit = keep_limit
        self._is_head = is_head

    def feed(self, data: bytes) -> AnswerProgress:
        head = self.head
        if head is None and self._reader is None:
            end = data.find(b"\r\n\r\n") + 4
            head = self._heads.by_bytes.get(data[:end])
            if head is not None:
                data = data[end:]
                self.head = head
                if len(data) == head.length <= self.keep_limit and not self._is_head:
                    self.body = data
                    self.nbytes = head.length
                    return AnswerProgress.DONE
            self._content = _Body(self.keep_limit)
        if head is not None and self._reader is None:
            left = 0 if self._is_head else head.length - self._content.nbytes
            self.surplus = len(data) > left
            self._content += data[:left] if self.surplus else data
            progress = AnswerProgress.MORE if len(data) < left else AnswerProgress.DONE
        else:
            progress = self._read(data)
        self.nbytes, self.kept = self._content.nbytes, self._content.kept
        if progress is not AnswerProgress.MORE:
            self.body = b"".join(self._content.parts)
        return progress

    def end(self) -> AnswerProgress:
        """The peer has closed. That completes only a body which is delimited by it; MORE means truncated."""
        if self.nbytes and not self.body:
            self.body = b"".join(self._content.parts)
        return AnswerProgress.MORE if self.delimited else AnswerProgress.DONE

    def _read(self, data: bytes) -> AnswerProgress:
        if self._reader is None:
            self._reader = CountedAnswer(self._heads.read, self._content, _NO_LIMIT, has_body=not self._is_head)
        progress = self._reader.feed(data)
        self.head, self.violation, self.surplus = self._reader.head, self._reader.violation, self._reader.surplus
        return progress

    @property
    def delimited(self) -> bool:
        """Its end is known without the connection's end."""
        return self.head is None or self._is_head or self.head.length != UNTIL_CLOSE

    @property
    def persistent(self) -> bool:
        """Another request may follow on the connection, as far as the answer tells."""
        return self.head is not None and self.head.persistent and not self.surplus and self.delimited
