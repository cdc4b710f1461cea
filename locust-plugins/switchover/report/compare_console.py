"""Runs side by side on the screen: first what not to believe and what was set differently, then the figures."""

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from switchover.analysis.comparison import Figure, Finding, Side
from switchover.analysis.setting import Differing
from switchover.report.compare_text import (
    counted,
    difference_text,
    name_of,
    nothing_happened,
    short_names,
    value_text,
)
from switchover.report.figures import shortened, what_was_done

REASONS = 4
SETTING_LENGTH = 60
WORDS = {Finding.DIFFERS: "differs", Finding.NONE: "no difference", Finding.UNKNOWN: "cannot be told"}
"""`no difference` is short for: none that these runs can show."""
STYLES = {Finding.DIFFERS: "bold", Finding.NONE: "dim", Finding.UNKNOWN: "yellow"}


def comparison(sides: Sequence[Side], setting: Sequence[Differing], figures: Sequence[Figure]) -> RenderableType:
    """Text from the network is never read as markup."""
    parts: list[RenderableType] = [*_untrusted(sides), _sides(sides), _setting(sides, setting)]
    for place, name in enumerate(short_names(sides)[1:]):
        parts.append(_figures(name, place, figures))
    return Group(*parts, Text(counted(figures)))


def side_text(side: Side) -> str:
    drills = f", {len(side.drills)} drills" if len(side.drills) > 1 else ""
    done = what_was_done(side.verdicts[0])
    return f"{side.name}{drills}" + (f": {done}" if done else "")


def setting_lines(sides: Sequence[Side], setting: Sequence[Differing]) -> list[str]:
    unknown = [
        f"what was set in {name} is not known"
        for name, side in zip(short_names(sides), sides, strict=True)
        if not side.verdicts[0].run.target
    ]
    if setting:
        return [*unknown, "the setting differs, which may be why the figures do:"]
    return unknown or ["the setting is the same"]


def _untrusted(sides: Sequence[Side]) -> list[RenderableType]:
    found: list[RenderableType] = []
    for name, side in zip(short_names(sides), sides, strict=True):
        found += [Text.assemble((f"{name} cannot be trusted: ", "bold red"), why) for why in side.reasons[:REASONS]]
        if len(side.reasons) > REASONS:
            found.append(Text(f"and {len(side.reasons) - REASONS} reasons more", style="dim"))
    return found


def _sides(sides: Sequence[Side]) -> RenderableType:
    lines = [
        Text.assemble((f"{name}  ", "bold"), side_text(side))
        for name, side in zip(short_names(sides), sides, strict=True)
    ]
    return Group(*lines)


def _setting(sides: Sequence[Side], setting: Sequence[Differing]) -> RenderableType:
    lines = [Text(line) for line in setting_lines(sides, setting)]
    if not setting:
        return Group(*lines)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    for name in short_names(sides):
        table.add_column(name, overflow="fold")
    for one in setting:
        table.add_row(Text(one.name), *(Text(shortened(value, SETTING_LENGTH)) for value in one.values))
    return Group(*lines, table)


def _figures(name: str, place: int, figures: Sequence[Figure]) -> RenderableType:
    """One table for each that is compared with the first. What findings have to say beyond a word follows it."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("", no_wrap=True)
    for title in ("A", name, f"{name} less A"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    shown = [figure for figure in figures if not nothing_happened(figure)]
    notes = list(dict.fromkeys(note for figure in shown if (note := figure.differences[place].note)))
    for figure in shown:
        difference = figure.differences[place]
        word = WORDS[difference.finding] + (f" ({notes.index(difference.note) + 1})" if difference.note else "")
        table.add_row(
            Text(name_of(figure)),
            *(Text(value_text(figure, figure.values[side])) for side in (0, place + 1)),
            Text(difference_text(figure, difference)),
            Text(word, style=STYLES[difference.finding]),
        )
    lines = [Text(f"({number}) {note}", style="dim") for number, note in enumerate(notes, start=1)]
    if len(shown) < len(figures):
        lines.append(Text(f"{len(figures) - len(shown)} shares that are 0 in all runs are left out", style="dim"))
    return Group(table, *lines)
