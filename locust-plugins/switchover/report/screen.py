"""Tables and texts on the screen. Names come from outside: no control character in them has an effect."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

from switchover.model.redaction import escape_controls
from switchover.report import tables
from switchover.report.github import for_log

UNLIMITED = 10_000
"""A width in columns that is larger than any table. It is used to measure tables."""
NOTES = 20
TONES = {"bad": "bold red", "good": "green", "differs": "bold"}


def screen_text(shown: RenderableType, console: Console | None = None) -> str:
    """Render a text for the screen, with the console's colours and without control characters from outside."""
    screen = console or Console()
    segments = [
        Segment(segment.text if segment.control else escape_controls(segment.text), segment.style, segment.control)
        for segment in screen.render(shown)
    ]
    with screen.capture() as captured:
        screen.print(Segments(segments), end="")
    return for_log(captured.get())


def print_json(value: Any) -> None:
    json.dump(value, sys.stdout, indent=2)
    print()


def print_shown(shown: RenderableType, page: Path | None) -> None:
    """Print on the screen, with the path of the page if one was written."""
    console = Console()
    sys.stdout.write(screen_text(shown, console))
    if page:
        console.print(f"  Report      {page}", soft_wrap=True, highlight=False, markup=False)


class FirstThatFits:
    """The first of several forms of a table that fits on the screen. The last form wraps, so that no figure is
    cut."""

    def __init__(self, *forms: Table) -> None:
        self._forms = forms

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        unlimited = options.update(max_width=UNLIMITED)
        fitting = (one for one in self._forms if console.measure(one, options=unlimited).maximum <= options.max_width)
        yield next(fitting, self._forms[-1])


def page_table(table: tables.Table) -> Table:
    """Return a table of the page for the screen."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), title=table.caption, title_justify="left")
    for place, name in enumerate(table.columns):
        is_number = place in table.numbers
        made.add_column(name, justify="right" if is_number else "left", no_wrap=is_number, overflow="fold")
    for row in table.rows:
        made.add_row(*(Text(cell.shown, style=TONES.get(cell.tone, "")) for cell in row))
    return made


def first_notes(notes: Sequence[str]) -> list[Text]:
    """Return the first notes that fit on the screen, one line each."""
    shown = [Text(note, style="yellow") for note in notes[:NOTES]]
    if len(notes) > NOTES:
        shown.append(Text(f"and {len(notes) - NOTES:,} lines more, in --json", style="dim"))
    return shown
