"""Standard output and error whose reader may go away: the exit code says what the drill found, not who listened.

A disk that is full is no such reader: what was to be printed is lost, so that is told."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast


class Unbroken:
    """A text stream; what is written after its reader has gone goes nowhere."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.lost = ""
        """Why something could not be written; empty where all was, or its reader has gone."""

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError as error:
            self._to_nowhere(error)
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            self._to_nowhere(error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _to_nowhere(self, error: OSError) -> None:
        """Also what is buffered, which Python would try to write again at its exit."""
        if not isinstance(error, BrokenPipeError):
            self.lost = error.strerror or str(error)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)


@contextmanager
def unbroken_output() -> Iterator[Unbroken | None]:
    """Both outputs, for a whole command, of which it yields the first; nothing is raised within."""
    before = sys.stdout, sys.stderr
    output, errors = (Unbroken(stream) if stream else None for stream in before)
    sys.stdout, sys.stderr = cast("tuple[TextIO, TextIO]", (output, errors))
    try:
        yield output
        for stream in (output, errors):
            if stream is not None:
                stream.flush()
    finally:
        sys.stdout, sys.stderr = before
