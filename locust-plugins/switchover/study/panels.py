"""The panels of a study's chart: theirs and ours beside each other, or on one scale, and the key to their series."""

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass

from switchover.study.chart import Panel
from switchover.study.comparison import Spread
from switchover.study.results import StudyResults
from switchover.study.study_file import SEPARATOR, Cell, Chart

THEIRS = "published"


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart that can be drawn: on a page or as a file."""

    title: str
    panels: Sequence[Panel]
    names: Sequence[str]
    """All series, in the order of their colours; empty for the only one."""


def arrange(chart: Chart, collected: StudyResults) -> Drawing:
    """Two panels with a scale each, for the shape is what can be compared; one where they are `together`."""
    study = collected.study
    cells = [cell for cell in study.cells if fnmatch.fnmatchcase(cell.name, chart.cells) and chart.x in cell.values]
    values = [value for value in study.axes.get(chart.x, ()) if any(cell.values[chart.x] == value for cell in cells)]
    if all(value.isdecimal() for value in values):
        values.sort(key=int)  # parts may name them in orders of their own
    names = list(dict.fromkeys(series_name(cell, chart.x) for cell in cells))
    ours: dict[str, dict[str, Spread]] = {name: {} for name in names}
    theirs: dict[str, dict[str, Spread]] = {name: {} for name in names}
    for cell in cells:
        name, value = series_name(cell, chart.x), cell.values[chart.x]
        if (spread := collected.spreads.get((chart.figure, cell.name))) is not None:
            ours[name][value] = spread
        figures = study.published.get(cell.name, {})
        if chart.published in figures:
            theirs[name][value] = Spread(figures[chart.published], figures.get(f"{chart.published}_sd"), 1)
    published = {name: points for name, points in theirs.items() if points}
    if chart.together:
        both = ours | {f"{name} ({THEIRS})": points for name, points in published.items()}
        return Drawing(chart.title, [Panel(f"ours and {THEIRS}", chart.x, values, both)], list(both))
    panels = [Panel("ours", chart.x, values, ours)]
    if published:
        panels.insert(0, Panel(THEIRS, chart.x, values, theirs))
    return Drawing(chart.title, panels, names)


def series_name(cell: Cell, axis: str) -> str:
    """The cell without that axis; empty where it is the only one."""
    return SEPARATOR.join(value for name, value in cell.values.items() if name not in (axis, "part"))
