"""Signals that are answered in another way for a while."""

import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What ends a run early but in order."""


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
