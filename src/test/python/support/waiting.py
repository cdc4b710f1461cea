"""Waiting for what happens elsewhere."""

import time
from collections.abc import Callable

PATIENCE_S = 60.0
"""More than anything takes on a busy machine."""


def wait_for(reached: Callable[[], bool], what: str = "it") -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not reached():
        assert time.monotonic() < deadline, f"waited {PATIENCE_S:g} s for {what}"
        time.sleep(0.01)
