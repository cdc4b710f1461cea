"""Tables and texts for the screen. Control characters in names from the network are escaped."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console, RenderableType
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

from switchover.model.redaction import escape_controls
from switchover.report import tables

NOTES = 20
HEADER_LENGTH = 10
"""A longer header of a column of numbers has two lines, because the numbers are shorter."""
TONES = {"bad": "bold red", "good": "green", "differs": "bold"}


def screen_text(shown: RenderableType, console: Console | None = None) -> str:
    """Render a text for the screen, with the console's colours and without control characters from the network."""
    screen = console or Console()
    segments = [
        Segment(segment.text if segment.control else escape_controls(segment.text), segment.style, segment.control)
        for segment in screen.render(shown)
    ]
    with screen.capture() as captured:
        screen.print(Segments(segments), end="")
    return without_commands(captured.get())


def without_commands(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """Change an untrusted text so that GitHub Actions detects no workflow command in the text."""
    return text.replace("##[", "# #[").replace("::", ": :") if environ.get("GITHUB_ACTIONS") == "true" else text


def print_json(value: Any) -> None:
    json.dump(value, sys.stdout, indent=2)
    print()


def print_shown(shown: RenderableType, page: Path | None = None) -> None:
    """Print to the screen, followed by the path of the page if a page was written."""
    console = Console()
    sys.stdout.write(screen_text(shown, console))
    if page:
        console.print(f"  Report      {page}", soft_wrap=True, highlight=False, markup=False)


def page_table(table: tables.Table) -> Table:
    screen_table = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), title=table.caption, title_justify="left"
    )
    for place, name in enumerate(table.columns):
        is_number = place in table.numbers
        header = name.replace(" ", "\n", 1) if is_number and len(name) > HEADER_LENGTH else name
        screen_table.add_column(header, justify="right" if is_number else "left", no_wrap=is_number, overflow="fold")
    for row in table.rows:
        screen_table.add_row(*(Text(cell.shown, style=TONES.get(cell.tone, "")) for cell in row))
    return screen_table


def first_notes(notes: Sequence[str]) -> list[Text]:
    """Return the first notes, one line for each note, and a line with the number of further notes."""
    shown = [Text(note, style="yellow") for note in notes[:NOTES]]
    if len(notes) > NOTES:
        shown.append(Text(f"{len(notes) - NOTES:,} more lines: add --json to print them", style="dim"))
    return shown
