"""What the two kinds of prediction share: a file that was read once, and a wrapped line."""

import textwrap
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

WIDTH = 110


@dataclass(frozen=True, slots=True)
class Source:
    """A configuration and its text, read once: it may be a pipe."""

    path: Path
    text: str


def print_wrapped(console: Console, head: str, text: str) -> None:
    """One paragraph: `head` at its beginning, and further lines set in."""
    indent = " " * min(len(head), 4)
    for line in textwrap.wrap(
        head + text,
        min(console.width, WIDTH),
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    ):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
