"""Standard output and error whose reader may go away: the exit code says what the drill found, not who listened."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO


class Unbroken:
    """A text stream; what is written after its reader has gone goes nowhere."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            self._to_nowhere()
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._to_nowhere()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _to_nowhere(self) -> None:
        """Also what is buffered, which Python would try to write again at its exit."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)


@contextmanager
def unbroken_output() -> Iterator[None]:
    """Both outputs, for a whole command; a broken pipe raises nothing within."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (stream and Unbroken(stream) for stream in before)
    try:
        yield
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    finally:
        sys.stdout, sys.stderr = before
