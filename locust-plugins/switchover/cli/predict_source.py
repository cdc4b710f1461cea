"""What the two kinds of prediction share: a file that was read once, and a wrapped line."""

import textwrap
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from switchover.model.redaction import escape_controls
from switchover.report.screen import screen_text

WIDTH = 110


@dataclass(frozen=True, slots=True)
class Source:
    """A configuration and its text, read once: it may be a pipe."""

    path: Path
    text: str


def print_table(console: Console, table: Table) -> None:
    """Without the effect of control characters that a configuration holds."""
    console.file.write(screen_text(table, console))


def print_wrapped(console: Console, head: str, text: str) -> None:
    """One paragraph: `head` at its beginning, and further lines set in."""
    indent = " " * min(len(head), 4)
    for line in textwrap.wrap(
        escape_controls(head + text),
        min(console.width, WIDTH),
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    ):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
