"""Headers that end too soon, which http.client takes for complete.

It reads header lines up to a blank one or the end of the connection, whichever comes first, so an answer that was
cut off in its headers becomes a good one with an empty body. Here the last line is looked at, the first one timed.
"""

from collections.abc import Callable
from http.client import BadStatusLine, HTTPException, HTTPResponse
from time import monotonic_ns
from typing import Any

FirstLine = Callable[[], Callable[[int], None] | None]
"""Who wants to know when the first line of an answer came (monotonic ns), if anybody is watching at all."""


class TruncatedHeadersError(HTTPException):
    """The connection was closed in the middle of the headers of an answer."""


def watched_response(first_line: FirstLine) -> type[HTTPResponse]:
    """A response that is truncated if its headers are; like any other where nobody is watching."""

    class WatchedResponse(HTTPResponse):
        def begin(self) -> None:
            tell = first_line()
            begun: Any = self.headers
            if tell is None or begun is not None:
                super().begin()
                return
            source: Any = self.fp
            lines: Any = _Lines(source, tell)
            self.fp = lines
            try:
                super().begin()
            except BadStatusLine as error:
                if lines.last and not lines.last.endswith(b"\n"):
                    raise TruncatedHeadersError("connection closed in the middle of the status line") from error
                raise
            finally:
                if self.fp is lines:
                    self.fp = source
            if lines.last not in (b"\r\n", b"\n"):
                raise TruncatedHeadersError("connection closed in the middle of the headers")

    return WatchedResponse


class _Lines:
    """The beginning of a response, read line by line."""

    __slots__ = ("_source", "_tell", "last")

    def __init__(self, source: Any, tell: Callable[[int], None]) -> None:
        self._source = source
        self._tell: Callable[[int], None] | None = tell
        self.last = b""

    def readline(self, limit: int) -> bytes:
        self.last = self._source.readline(limit)
        if self._tell is not None and self.last:
            self._tell(monotonic_ns())
            self._tell = None
        return self.last

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)
