"""Many runs on the screen: what is odd first, then each fault of each target, then the latest runs."""

from collections.abc import Iterable, Mapping, Sequence

from rich.console import Group as Lines
from rich.console import RenderableType
from rich.text import Text

from switchover.analysis.history.entry import Entry
from switchover.analysis.history.history import grouped
from switchover.analysis.history.usual import Usual
from switchover.report.history.text import NOTHING, group_texts, reason_lines, run_texts, runs_counted
from switchover.report.screen import FirstThatFits
from switchover.report.tables import first_notes, stacked_table

WIDE = tuple(
    (name,) for name in ("began (UTC)", "target", "fault", "verdict", "outage", "predicted", "failback", "failed")
)
NARROW = (("began (UTC)", "target"), ("fault", "verdict"), ("outage", "failback"), ("predicted", "failed"))
"""Several of one column stand below each other."""
GROUPS_WIDE = tuple(
    (name,)
    for name in ("target", "fault", "runs", "statuses", "median outage", "shortest to longest", "as predicted")
)
GROUPS_NARROW = (
    ("target", "fault"),
    ("runs", "as predicted"),
    ("statuses",),
    ("median outage", "shortest to longest"),
)


def history(entries: Sequence[Entry], notes: Sequence[str], last: int) -> RenderableType:
    """`last`: how many runs are shown one by one."""
    parts: list[RenderableType] = [*first_notes(notes)]
    if not entries:
        return Lines(*parts, Text("no runs"))
    groups = grouped(entries)
    if groups:
        parts.append(_fitting([group_texts(group) for group in groups], GROUPS_WIDE, GROUPS_NARROW))
    shown = entries[-last:] if last else []
    if shown:
        parts.append(_fitting([run_texts(entry) for entry in shown], WIDE, NARROW))
        parts += [Text(line) for line in reason_lines(shown)]
    left = f", the last {len(shown):,} of them one by one" if len(shown) < len(entries) else ""
    return Lines(*parts, Text(runs_counted(entries) + left))


def last_drills(pairs: Iterable[tuple[str, Entry | None, Usual | None]], notes: Sequence[str]) -> RenderableType:
    """A row for each pair: its last drill, and what was usual before that drill."""
    rows = []
    for pair, last, usual in pairs:
        texts = run_texts(last) if last else {}
        limit_ms = usual.limit_ms if usual else None
        rows.append(
            {
                "pair": pair,
                "last drill (UTC)": f"{texts['began (UTC)']} {texts['fault']}" if texts else "never",
                "verdict": texts.get("verdict", NOTHING),
                "outage": texts.get("outage", NOTHING),
                "usual": NOTHING if limit_ms is None else f"{limit_ms:,.0f} ms",
            }
        )
    return Lines(*first_notes(notes), stacked_table(rows, [(name,) for name in rows[0]], wraps=True))


def _fitting(
    rows: Sequence[Mapping[str, str]], wide: Sequence[Sequence[str]], narrow: Sequence[Sequence[str]]
) -> RenderableType:
    return FirstThatFits(stacked_table(rows, wide, wraps=False), stacked_table(rows, narrow, wraps=True))
