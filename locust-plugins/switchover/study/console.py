"""What a study prints at its end: the paper's table with ours, and a word on each claim, for a terminal's width."""

import textwrap
from collections.abc import Sequence

from switchover.study.results import (
    NOT_KNOWN,
    JudgedClaim,
    StudyResults,
    differences,
    environment_lines,
    own_figures,
    situation,
    table_rows,
)

INDENT = "    "


def to_console(collected: StudyResults, width: int) -> str:
    """The claims last: they are what stays on the screen. A table that is too wide continues in a further one."""
    study = collected.study
    lines = [study.title, study.source, study.question, "", *_wrapped(situation(collected), width), ""]
    lines += _table(table_rows(collected), width)
    lines += [line for entry in environment_lines(collected) for line in _wrapped(entry, width)]
    lines.append("")
    for judged in collected.claims:
        lines += _claim(judged, width)
    return "\n".join(lines)


def _claim(judged: JudgedClaim, width: int) -> list[str]:
    lines = _wrapped(f"{judged.claim.name}: {judged.judgement.word}. {judged.claim.text}", width)
    notes = [judged.judgement.reason] if judged.judgement.reason else []
    if (difference := differences(judged)) != NOT_KNOWN:
        notes.append(f"right side less left side, 95 %: {difference}")
    if (own := own_figures(judged)) != NOT_KNOWN:
        notes.append(f"by their own figures: {own}")
    return [*lines, *(f"{INDENT}{line}" for entry in notes for line in textwrap.wrap(entry, width - len(INDENT)))]


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent=INDENT)


def _table(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Columns side by side while they fit; each part begins with the cells' names."""
    widths = [max(len(row[column]) for row in rows) + 2 for column in range(len(rows[0]))]
    lines: list[str] = []
    columns = list(range(1, len(widths)))
    while columns:
        used = widths[0]
        part: list[int] = []
        while columns and (not part or used + widths[columns[0]] <= width):
            part.append(columns.pop(0))
            used += widths[part[-1]]
        lines += [
            row[0].ljust(widths[0]) + "".join(row[column].rjust(widths[column]) for column in part) for row in rows
        ]
        lines.append("")
    return lines
