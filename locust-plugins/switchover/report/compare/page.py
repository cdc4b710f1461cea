"""Runs side by side as one page that needs no network."""

from collections.abc import Sequence
from typing import Any

from switchover.analysis.compare.comparison import Differing, Figure, Finding, Side
from switchover.report.compare.console import setting_lines, side_text
from switchover.report.compare.text import counted, difference_text, finding_text, name_of, short_names, value_text
from switchover.report.page.document import COMPARE, document
from switchover.report.page.table import Cell, Table, number

DRAWN = ("outage", "failback")


def compare_page(sides: Sequence[Side], setting: Sequence[Differing], figures: Sequence[Figure]) -> bytes:
    names = short_names(sides)
    titles = [f"{name}: {side_text(side)}" for name, side in zip(names, sides, strict=True)]
    return document(
        "compare.html.j2",
        COMPARE,
        {"names": names, "figures": [_drawn(figure) for figure in figures if figure.name in DRAWN]},
        title="Runs compared: " + " and ".join(side.name for side in sides),
        sides=titles,
        well=not any(side.reasons for side in sides),
        reasons=[f"{name}: {reason}" for name, side in zip(names, sides, strict=True) for reason in side.reasons],
        counted=counted(figures),
        setting_lines=setting_lines(sides, setting),
        setting=_setting(names, setting),
        tables=[_table(place, name, figures) for place, name in enumerate(names[1:])],
    )


def _setting(names: Sequence[str], setting: Sequence[Differing]) -> Table:
    rows = [[Cell(one.name), *map(Cell, one.values)] for one in setting]
    return Table("What was set differently", ("", *names), rows)


def _table(place: int, name: str, figures: Sequence[Figure]) -> Table:
    rows = []
    for figure in figures:
        difference = figure.differences[place]
        tone = "differs" if difference.finding is Finding.DIFFERS else ""
        rows.append(
            (
                Cell(name_of(figure)),
                number(value_text(figure, figure.values[0])),
                number(value_text(figure, figure.values[place + 1])),
                number(difference_text(figure, difference)),
                Cell(finding_text(difference), tone=tone),
            )
        )
    columns = ("", "A", name, f"{name} less A", "finding")
    return Table(f"{name} against A", columns, rows)


def _drawn(figure: Figure) -> dict[str, Any]:
    return {
        "name": figure.name,
        "values": [{"value": one.value, "low": one.low, "high": one.high} for one in figure.values],
    }
