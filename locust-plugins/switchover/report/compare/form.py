"""Runs side by side on the screen, as a page and as data, with reasons of invalid runs, settings and figures."""

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
from switchover.report.figures_text import NOTHING, shortened
from switchover.report.page.document import COMPARE, document
from switchover.report.screen import FirstThatFits, page_table
from switchover.report.summary import subject
from switchover.report.tables import Cell, Table, number

SCHEMA = 1
SETTINGS = 6
"""The number of settings that are shown by default."""
SETTING_LENGTH = 60
NAMES = "ABCDEFGH"
"""The names of the sides."""
EVENTS = ("outage", "failback", "split brain")
"""Figures that are always shown."""


def comparison(
    sides: Sequence[Side], setting: Sequence[Differing], figures: Sequence[Figure], *, everything: bool = False
) -> RenderableType:
    """Return the comparison for the screen. `everything`: include figures without a difference."""
    names = NAMES[: len(sides)]
    parts: list[RenderableType] = []
    for name, side in zip(names, sides, strict=True):
        parts += [Text.assemble((f"{name} is INVALID  ", "bold red"), why) for why in side.reasons]
    parts += [Text.assemble((f"{name}  ", "bold"), side_text(side)) for name, side in zip(names, sides, strict=True)]
    parts += [Text(line) for line in setting_lines(sides, setting)]
    if setting:
        parts.append(page_table(setting_table(names, setting if everything else setting[:SETTINGS])))
        if len(setting) > SETTINGS and not everything:
            parts.append(Text(f"{len(setting) - SETTINGS} more settings differ: --all", style="dim"))
    for place, name in enumerate(names[1:]):
        shown = [
            one
            for one in figures
            if everything or one.name in EVENTS or one.differences[place].finding is Finding.DIFFERS
        ]
        table, notes = difference_table(name, place, shown)
        parts += [
            FirstThatFits(page_table(table), page_table(_stacked(table))),
            *(Text(note, style="dim") for note in notes),
        ]
        left = len(figures) - len(shown)
        if left:
            parts.append(Text(f"{left} more figures show no difference or cannot tell: --all", style="dim"))
    return Group(*parts, Text(counted_text(figures)))


def side_text(side: Side) -> str:
    drills = f", {len(side.drills)} drills" if len(side.drills) > 1 else ""
    done = subject(side.drills[0])
    return f"{side.name}{drills}" + (f": {done}" if done else "")


def setting_lines(sides: Sequence[Side], setting: Sequence[Differing]) -> list[str]:
    unknown = [
        f"The settings of {name} are unknown."
        for name, side in zip(NAMES, sides, strict=False)
        if not side.drills[0].run.target
    ]
    if setting:
        return [*unknown, "The settings differ, which may explain differences of the figures:"]
    return unknown or ["The settings are the same."]


def setting_table(names: Sequence[str], setting: Sequence[Differing]) -> Table:
    rows = [[Cell(one.name), *(Cell(shortened(value, SETTING_LENGTH)) for value in one.values)] for one in setting]
    return Table("Settings that differ", ("", *names), rows)


def difference_table(name: str, place: int, figures: Sequence[Figure]) -> tuple[Table, list[str]]:
    """Return the figures of one side and of A, and numbered notes on the findings."""
    notes = list(dict.fromkeys(note for figure in figures if (note := figure.differences[place].note)))
    rows = []
    for figure in figures:
        difference = figure.differences[place]
        note = f" ({notes.index(difference.note) + 1})" if difference.note else ""
        rows.append(
            (
                Cell(", ".join(filter(None, (figure.name, figure.phase)))),
                number(value_text(figure, figure.values[0])),
                number(value_text(figure, figure.values[place + 1])),
                number(difference_text(figure, difference)),
                Cell(difference.finding + note, tone="differs" * (difference.finding is Finding.DIFFERS)),
            )
        )
    table = Table(f"{name} and A", ("", "A", name, f"{name} − A", ""), rows)
    return table, [f"({count}) {note}" for count, note in enumerate(notes, start=1)]


def _stacked(wide: Table) -> Table:
    """Return the table for a narrow screen, with each interval below its value."""
    rows = [
        (
            head,
            number(f"{first.text}\n{other.text}".replace(" (", "\n(")),
            number(f"{change.text}\n{finding.text}".replace(" [", "\n["), tone=finding.tone),
        )
        for head, first, other, change, finding in wide.rows
    ]
    _, first, other, change, _ = wide.columns
    return Table(wide.caption, ("", f"{first}\n{other}", change), rows)


def compare_page(sides: Sequence[Side], setting: Sequence[Differing], figures: Sequence[Figure]) -> bytes:
    names = NAMES[: len(sides)]
    drawn = [to_builtins(one) for one in figures if one.name in EVENTS[:2]]
    found = [difference_table(name, place, figures) for place, name in enumerate(names[1:])]
    return document(
        "compare.html.j2",
        COMPARE,
        {"names": list(names), "figures": drawn},
        title="Runs compared: " + " and ".join(side.name for side in sides),
        sides=[f"{name}: {side_text(side)}" for name, side in zip(names, sides, strict=True)],
        well=not any(side.reasons for side in sides),
        reasons=[f"{name}: {reason}" for name, side in zip(names, sides, strict=True) for reason in side.reasons],
        counted=counted_text(figures),
        setting_lines=setting_lines(sides, setting),
        setting=setting_table(names, setting),
        tables=[Table(one.caption, one.columns, one.rows, " ".join(notes)) for one, notes in found],
    )


def to_json(sides: Sequence[Side], setting: Sequence[Differing], figures: Sequence[Figure]) -> dict[str, Any]:
    """Return the comparison as data; docs/history.md describes its fields."""
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


def value_text(figure: Figure, value: Value) -> str:
    """Return the value with its interval: `4.240 s (4.159–4.240)`."""
    if value.value is None:
        return NOTHING
    shown = f"{_amount(figure, value.value)}{_unit(figure)}"
    if value.low is None or value.high is None or value.high == value.low:
        return shown
    return f"{shown} ({_amount(figure, value.low)}–{_amount(figure, value.high)})"


def difference_text(figure: Figure, difference: Difference) -> str:
    """Return a difference with its interval: `+12.5 ms [+8.1, +16.2]`."""
    if difference.value is None:
        return NOTHING
    unit = " points" if figure.unit is FigureUnit.SHARE else _unit(figure)
    shown = f"{_signed(figure, difference.value)}{unit}"
    if difference.low is None or difference.high is None:
        return shown
    return f"{shown} [{_signed(figure, difference.low)}, {_signed(figure, difference.high)}]"


def counted_text(figures: Sequence[Figure]) -> str:
    """Count the figures that differ, and the figures that would differ by chance alone."""
    differences = [one for figure in figures for one in figure.differences]
    differ = sum(one.finding is Finding.DIFFERS for one in differences)
    known = sum(one.low is not None for one in differences)
    chance = f"; chance alone makes about {known / 20:.0f} of {known} differ" if known >= 20 else ""
    return f"{differ} of {len(differences)} figures are shown to differ{chance}"


def _is_long(figure: Figure) -> bool:
    """Return True if the figure's durations are printed in seconds, because one is a second or longer."""
    is_time = figure.unit is FigureUnit.MILLISECONDS
    return is_time and any(one.value is not None and one.value >= 1000 for one in figure.values)


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
