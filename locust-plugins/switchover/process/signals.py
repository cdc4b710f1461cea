"""Signals: answered in another way for a while, and as the end of a process."""

import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that end a run early but in order."""


def shell_status(returncode: int) -> int:
    """The exit status that a shell reports: 128 + N after signal N, which is -N here."""
    return returncode if returncode >= 0 else 128 - returncode


@contextmanager
def answering(
    handlers: Mapping[signal.Signals, Callable[[int, FrameType | None], object]],
) -> Iterator[Mapping[signal.Signals, Any]]:
    """As long as the block lasts; it gets the handlers that there were before."""
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield before
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
