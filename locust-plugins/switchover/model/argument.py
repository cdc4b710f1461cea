"""Convert a parser that raises UsageError to an argparse type."""

import argparse
from collections.abc import Callable
from typing import Any

from switchover.model.errors import UsageError


def argument(read: Callable[[str], Any]) -> Callable[[str], Any]:
    def read_text(text: str) -> Any:
        try:
            return read(text)
        except UsageError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return read_text
