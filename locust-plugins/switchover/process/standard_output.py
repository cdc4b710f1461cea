"""Standard output and standard error. If the reader closes the pipe, the exit code does not change."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast


class Unbroken:
    """A text stream that drops output after its reader has closed the pipe."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.lost = ""
        """The reason for lost output. Empty: nothing was lost, or the reader closed the pipe."""

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
        """Drop further output and the content of the buffer, which Python would write when the program exits."""
        if not isinstance(error, BrokenPipeError):
            self.lost = error.strerror or str(error)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)


@contextmanager
def unbroken_output() -> Iterator[Unbroken | None]:
    """Replace stdout and stderr while the block runs a command; yields the new stdout. Writing raises no OSError."""
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
