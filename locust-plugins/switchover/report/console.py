"""A verdict as text for the screen: the summary, and the details with every table of the page."""

import io
import shutil
from collections.abc import Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from switchover.report.documents import Judged, judged_of
from switchover.report.screen import page_table, screen_text
from switchover.report.summary import WARNINGS, Summary, summarize
from switchover.report.tables import detail_tables
from switchover.verdict.judge import Verdict

SHORT = 10
"""Values shorter than this number of characters are padded, so that the notes form a separate column."""
STYLES = {"✓": "green", "✗": "bold red", "?": "bold yellow"}
_PAIR = ("Split brain", "Accounting")
"""The names of two short lines that are printed as one line."""


def summary(judged: Judged, details: str = "") -> RenderableType:
    return summary_text(summarize(judged), details=details)


def details(judged: Judged) -> RenderableType:
    """Return the summary with all warnings, the artefacts of the load, and the tables."""
    artefacts = (judged.verdict.load and judged.verdict.load.artefacts) or ()
    return Group(
        summary_text(summarize(judged), warnings=None),
        *(Text(f"  Load: {artefact.text}") for artefact in artefacts),
        *(page_table(table) for table in detail_tables(judged)),
    )


def final_text(verdict: Verdict, streamed: str, *, colours: bool = False) -> str:
    """Return the final text of a load generator's run: the summary, and the result of the streaming."""
    console = Console(file=io.StringIO(), width=shutil.get_terminal_size().columns, force_terminal=colours)
    shown = screen_text(summary(judged_of(verdict)), console)
    return "\n".join(filter(None, (shown.rstrip("\n"), streamed))) + "\n"


def summary_text(summary: Summary, *, details: str = "", warnings: int | None = WARNINGS) -> RenderableType:
    """Return the summary as text for one screen. `details`: the option that prints all warnings, if there is one."""
    style = "bold green" if summary.exit_code == 0 else "bold red"
    heading = Text.assemble((summary.heading, style), f"  {summary.subject}" if summary.subject else "")
    table = _grid()
    for mark, name, content in _joined(summary.rows):
        table.add_row(Text(mark, style=STYLES.get(mark, "")), Text(name, style="bold"), content)
    shown = summary.warnings[:warnings]
    for warning in shown:
        table.add_row("", Text("Warning", style="bold yellow"), Text(warning))
    left = len(summary.warnings) - len(shown)
    if left:
        table.add_row("", "", Text(f"and {left} more: {details or 'in verdict.json'}", style="dim"))
    return Group(heading, table)


def _grid() -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), show_header=False, pad_edge=False)
    table.add_column(width=1)
    table.add_column(no_wrap=True, min_width=11)
    table.add_column(overflow="fold")
    return table


def _joined(rows: Sequence[tuple[str, str, str, str]]) -> Iterator[tuple[str, str, Text]]:
    """Yield the mark, the name and the content of each line. Notes are aligned, and the lines of `_PAIR` are one
    line."""
    short = [row for row in rows if row[1] in _PAIR and not row[3]]
    first, second = short if len(short) == len(_PAIR) else (None, None)
    for row in rows:
        if row is second:
            continue
        mark, name, value, rest = row
        content = Text(value)
        if rest:
            content = Text(f"{value:<{SHORT}}" if len(value) < SHORT else f"{value}   ").append(rest)
        if row is first and second:
            other_mark, other, other_value, _ = second
            content = Text(f"{value:<8} {other_mark:1} ").append(other, style="bold").append(f"   {other_value}")
        yield mark, name, content
