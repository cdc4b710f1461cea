"""A comparison of runs for the screen and as JSON: invalid runs, settings that differ, and figures."""

from collections.abc import Sequence
from typing import Any

from msgspec import to_builtins
from rich.console import Group, RenderableType
from rich.text import Text

from switchover.report.compare.differences import (
    LEVEL,
    Difference,
    Differing,
    Figure,
    FigureUnit,
    Finding,
    Side,
    Value,
)
from switchover.report.figures_text import NOTHING, counted, shortened
from switchover.report.screen import page_table
from switchover.report.summary import subject
from switchover.report.tables import Table, make_table, number

SCHEMA = 1
SETTINGS = 6
"""The number of differing settings that are shown by default."""
SETTING_LENGTH = 60
NAMES = "ABCDEFGH"
"""The names of the sides of a comparison."""
EVENTS = ("outage", "failback", "split brain")
"""The figures that are always shown."""


def comparison(
    sides: Sequence[Side], setting: Sequence[Differing], figures: Sequence[Figure], *, everything: bool = False
) -> RenderableType:
    """Return the comparison for the screen. `everything`: also include figures without a difference."""
    names = NAMES[: len(sides)]
    named = list(zip(names, sides, strict=True))
    parts: list[RenderableType] = [
        Text.assemble((f"{name} is INVALID  ", "bold red"), reason) for name, side in named for reason in side.reasons
    ]
    parts += [Text.assemble((f"{name}  ", "bold"), _side_text(side)) for name, side in named]
    parts += [Text(f"The settings of {name} are unknown.") for name, side in named if not side.drills[0].run.target]
    if setting:
        shown = setting if everything else setting[:SETTINGS]
        parts += [
            Text("The settings differ, which may explain differences of the figures:"),
            page_table(_setting_table(names, shown)),
        ]
        if len(setting) > len(shown):
            parts.append(
                Text(f"more settings that differ: {len(setting) - len(shown)} (add --all to print them)", style="dim")
            )
    elif all(side.drills[0].run.target for side in sides):
        parts.append(Text("The settings are the same."))
    for place, name in enumerate(names[1:]):
        listed = [
            figure
            for figure in figures
            if everything or figure.name in EVENTS or figure.differences[place].finding is Finding.DIFFERS
        ]
        if listed:
            compared, notes = _difference_table(name, place, listed)
            parts += [page_table(compared), *(Text(note, style="dim") for note in notes)]
        if len(figures) > len(listed):
            left = counted(len(figures) - len(listed), "figure")
            parts.append(Text(f"without a proved difference: {left} (add --all to print them)", style="dim"))
    return Group(*parts, Text(_counted_text(figures)))


def _side_text(side: Side) -> str:
    drills = f", {len(side.drills)} drills" if len(side.drills) > 1 else ""
    action = subject(side.drills[0])
    return f"{side.name}{drills}" + (f": {action}" if action else "")


def _setting_table(names: Sequence[str], setting: Sequence[Differing]) -> Table:
    rows = [(row.name, *(shortened(value, SETTING_LENGTH) for value in row.values)) for row in setting]
    return make_table("Settings that differ", ("", *names), rows)


def _difference_table(name: str, place: int, figures: Sequence[Figure]) -> tuple[Table, list[str]]:
    """Return a table that compares the figures of side A with one further side, and numbered notes on the findings.
    Each cell has two lines (the values of both sides, or difference and finding), so that the table fits a narrow
    screen."""
    notes = list(dict.fromkeys(note for figure in figures if (note := figure.differences[place].note)))
    rows = []
    for figure in figures:
        difference = figure.differences[place]
        note = f" ({notes.index(difference.note) + 1})" if difference.note else ""
        values = (_value_text(figure, figure.values[0]), _value_text(figure, figure.values[place + 1]))
        tone = "differs" if difference.finding is Finding.DIFFERS else ""
        rows.append(
            (
                ", ".join(filter(None, (figure.name, figure.phase))),
                number("\n".join(values)),
                number(f"{_difference_text(figure, difference)}\n{difference.finding}{note}", tone),
            )
        )
    compared = make_table(f"Figures of A and {name}", ("", f"A\n{name}", f"{name} − A"), rows)
    return compared, [f"({count}) {note}" for count, note in enumerate(notes, start=1)]


def to_json(sides: Sequence[Side], setting: Sequence[Differing], figures: Sequence[Figure]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "confidence": LEVEL,
        "sides": [
            {
                "name": side.name,
                "runs": [verdict.run for verdict in side.verdicts],
                "valid": not side.reasons,
                "reasons": side.reasons,
            }
            for side in sides
        ],
        "setting": to_builtins(setting),
        "figures": to_builtins(figures),
    }


def _value_text(figure: Figure, value: Value) -> str:
    """Format a value with its interval, for example `4.240 s (4.159–4.240)`."""
    if value.value is None:
        return NOTHING
    shown = f"{_amount(figure, value.value)}{_unit(figure)}"
    if value.low is None or value.high is None or value.high == value.low:
        return shown
    return f"{shown} ({_amount(figure, value.low)}–{_amount(figure, value.high)})"


def _difference_text(figure: Figure, difference: Difference) -> str:
    """Format a difference with its interval, for example `+12.5 ms [+8.1, +16.2]`."""
    if difference.value is None:
        return NOTHING
    unit = " points" if figure.unit is FigureUnit.SHARE else _unit(figure)
    shown = f"{_signed(figure, difference.value)}{unit}"
    if difference.low is None or difference.high is None:
        return shown
    return f"{shown} [{_signed(figure, difference.low)}, {_signed(figure, difference.high)}]"


def _counted_text(figures: Sequence[Figure]) -> str:
    """Return a text: how many figures differ, and how many figures would differ by chance alone."""
    differences = [difference for figure in figures for difference in figure.differences]
    differ = sum(difference.finding is Finding.DIFFERS for difference in differences)
    known = sum(difference.low is not None for difference in differences)
    chance = f"; chance alone makes about {known / 20:.0f} of {known} differ" if known >= 20 else ""
    differing = f"{differ:,} figures differ" if differ != 1 else "1 figure differs"
    return f"{len(differences)} figures compared: {differing}{chance}"


def _is_long(figure: Figure) -> bool:
    """Return True if any duration of the figure is a second or longer. All durations are then printed in seconds."""
    is_time = figure.unit is FigureUnit.MILLISECONDS
    return is_time and any(value.value is not None and value.value >= 1000 for value in figure.values)


def _unit(figure: Figure) -> str:
    if figure.unit is FigureUnit.SHARE:
        return " %"
    return " s" if _is_long(figure) else f" {figure.unit.value}"


def _amount(figure: Figure, value: float) -> str:
    if abs(value) < 1e-6:
        return "0"
    if figure.unit is FigureUnit.SHARE:
        return f"{value * 100:.3g}"
    if _is_long(figure):
        return f"{value / 1000:,.3f}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.1f}" if abs(value) >= 10 else f"{value:.2f}"


def _signed(figure: Figure, value: float) -> str:
    return ("+" if value >= 0 else "−") + _amount(figure, abs(value))
