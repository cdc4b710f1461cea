"""The tables of the screen. Texts from outside are never read as markup."""

from collections.abc import Iterable, Mapping, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

NOTES = 20


def figures_table(rows: Sequence[Sequence[str]]) -> Table:
    """A line for each figure: what it is, how much, and, where rows have a third cell, what else is said of it."""
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    if any(len(row) > 2 for row in rows):
        table.add_column(style="dim", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def counts_table(columns: Sequence[str], rows: Iterable[tuple[Sequence[str], bool]]) -> Table:
    """A name and its counts in each line; red where the row alarms."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(columns[0], no_wrap=True)
    for name in columns[1:]:
        table.add_column(name, justify="right", no_wrap=True)
    for cells, alarms in rows:
        table.add_row(*(Text(cell, style="bold red" if alarms else "") for cell in cells))
    return table


def stacked_table(rows: Iterable[Mapping[str, str]], columns: Sequence[Sequence[str]], *, wraps: bool) -> Table:
    """Texts by their titles; several titles of one column stand below each other."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for names in columns:
        table.add_column("\n".join(names), no_wrap=not wraps, overflow="fold")
    for row in rows:
        table.add_row(*(Text("\n".join(row[name] for name in names)) for names in columns))
    return table


def first_notes(notes: Sequence[str]) -> list[Text]:
    """What is odd, a line each, as many as a screen has room for."""
    shown = [Text(note, style="yellow") for note in notes[:NOTES]]
    if len(notes) > NOTES:
        shown.append(Text(f"and {len(notes) - NOTES:,} lines more, in --json", style="dim"))
    return shown
