"""The summary as lines of text, for the console and for Markdown."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from switchover.report.summary import WARNINGS, Summary

SHORT = 10
"""The length in characters below which a value is padded, so that its notes form a separate column."""
STYLES = {"✓": "green", "✗": "bold red", "?": "bold yellow"}
_PAIR = ("Split brain", "Accounting")
"""Two short lines that are printed as one."""


def summary_text(summary: Summary, *, details: str = "", warnings: int | None = WARNINGS) -> RenderableType:
    """Return one screen. `details` names the option that prints the rest; empty if there is none."""
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
    """Yield the lines. A short value is padded to align the rest of all lines. Two short lines are printed as one."""
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
