"""Many runs on the screen: what is odd first, then each fault of each target, then the latest runs."""

from collections.abc import Mapping, Sequence

from rich import box
from rich.console import Group as Lines
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from switchover.analysis.history.entry import Entry
from switchover.analysis.history.history import grouped
from switchover.report.history.text import group_texts, reason_lines, run_texts, runs_counted
from switchover.report.screen import FirstThatFits

NOTES = 20
WIDE = tuple(
    (name,) for name in ("began (UTC)", "target", "fault", "word", "outage", "predicted", "failback", "failed")
)
NARROW = (("began (UTC)", "target"), ("fault", "word"), ("outage", "failback"), ("predicted", "failed"))
"""Several of one column stand below each other."""
GROUPS_WIDE = tuple(
    (name,) for name in ("target", "fault", "runs", "words", "median outage", "shortest to longest", "as predicted")
)
GROUPS_NARROW = (("target", "fault"), ("runs", "as predicted"), ("words",), ("median outage", "shortest to longest"))


def history(entries: Sequence[Entry], notes: Sequence[str], last: int) -> RenderableType:
    """`last`: how many runs are shown one by one."""
    parts: list[RenderableType] = [Text(note, style="yellow") for note in notes[:NOTES]]
    if len(notes) > NOTES:
        parts.append(Text(f"and {len(notes) - NOTES:,} lines more, in --json", style="dim"))
    if not entries:
        return Lines(*parts, Text("no runs"))
    groups = grouped(entries)
    if groups:
        parts.append(_first_that_fits([group_texts(group) for group in groups], GROUPS_WIDE, GROUPS_NARROW))
    shown = entries[-last:] if last else []
    if shown:
        parts.append(_first_that_fits([run_texts(entry) for entry in shown], WIDE, NARROW))
        parts += [Text(line) for line in reason_lines(shown)]
    left = f", the last {len(shown):,} of them one by one" if len(shown) < len(entries) else ""
    return Lines(*parts, Text(runs_counted(entries) + left))


def _first_that_fits(rows: Sequence[Mapping[str, str]], *forms: Sequence[Sequence[str]]) -> RenderableType:
    *others, last = forms
    return FirstThatFits(*(_table(rows, form) for form in others), _table(rows, last, wraps=True))


def _table(rows: Sequence[Mapping[str, str]], columns: Sequence[Sequence[str]], *, wraps: bool = False) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for names in columns:
        table.add_column("\n".join(names), no_wrap=not wraps, overflow="fold")
    for row in rows:
        table.add_row(*(Text("\n".join(row[name] for name in names)) for names in columns))
    return table
