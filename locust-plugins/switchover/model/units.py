"""Parse durations from a command line or a target file."""

import argparse
import re
from collections.abc import Callable
from typing import Any

from switchover.model.errors import UsageError

_DURATION = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(us|ms|s|min|h)?\s*", re.ASCII)
_SECONDS_PER = {"us": 1e-6, "ms": 1e-3, "s": 1.0, None: 1.0, "min": 60.0, "h": 3600.0}


def parse_duration_s(text: str) -> float:
    """Return a duration such as `250ms`, `5s` or `2min` in seconds. A number without a unit is in seconds."""
    match = _DURATION.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} is not a duration: write 250ms, 5s, 1.5 or 2min")
    return float(match[1]) * _SECONDS_PER[match[2]]


def argument(read: Callable[[str], Any]) -> Callable[[str], Any]:
    def read_text(text: str) -> Any:
        try:
            return read(text)
        except UsageError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return read_text
