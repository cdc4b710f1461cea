"""What is shown on a screen: tables and texts whose names come from outside, and may hold anything."""

import json
import sys
from pathlib import Path
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment, Segments
from rich.table import Table

from switchover.model.redaction import escape_controls
from switchover.report.github import for_log

UNLIMITED = 10_000
"""Columns: wider than any table, to measure what one would take."""


def screen_text(shown: RenderableType, console: Console | None = None) -> str:
    """As it is written to the screen: with the console's own colours, and no control character from outside."""
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
    """On the screen, and where its page is if one was written."""
    console = Console()
    sys.stdout.write(screen_text(shown, console))
    if page:
        console.print(f"Page: {page}", soft_wrap=True, highlight=False, markup=False)


class FirstThatFits:
    """The first form of a table that the screen has room for. The last form wraps, so that no figure is cut."""

    def __init__(self, *forms: Table) -> None:
        self._forms = forms

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        unlimited = options.update(max_width=UNLIMITED)
        fitting = (one for one in self._forms if console.measure(one, options=unlimited).maximum <= options.max_width)
        yield next(fitting, self._forms[-1])
