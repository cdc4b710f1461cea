"""Install signal handlers temporarily, and compute the exit status after a signal."""

import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def shell_status(returncode: int) -> int:
    """Return the exit status that a shell reports: 128 + N for a `returncode` of -N (signal N)."""
    return returncode if returncode >= 0 else 128 - returncode


@contextmanager
def answering(
    handlers: Mapping[signal.Signals, Callable[[int, FrameType | None], object]],
) -> Iterator[Mapping[signal.Signals, Any]]:
    """Install signal handlers for the block; yields the previous handlers."""
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield before
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
