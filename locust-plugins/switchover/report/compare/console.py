"""Runs side by side on the screen: first what not to believe and what was set differently, then the figures."""

from collections.abc import Sequence

from rich import box
from rich.console import Group, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from switchover.analysis.compare.comparison import Differing, Figure, Finding, Side
from switchover.report.compare.text import (
    counted,
    difference_text,
    name_of,
    nothing_happened,
    short_names,
    value_text,
)
from switchover.report.screen import FirstThatFits
from switchover.report.text import shortened, what_was_done

REASONS = 4
SETTING_LENGTH = 60
NAME_WIDTH = 22
"""Columns for the name of a figure where it has two lines."""
WORDS = {Finding.DIFFERS: "differs", Finding.NONE: "no difference", Finding.UNKNOWN: "cannot be told"}
"""`no difference` is short for: none that these runs can show."""
STYLES = {Finding.DIFFERS: "bold", Finding.NONE: "dim", Finding.UNKNOWN: "yellow"}


def comparison(sides: Sequence[Side], setting: Sequence[Differing], figures: Sequence[Figure]) -> RenderableType:
    """Text from the network is never read as markup."""
    parts: list[RenderableType] = [*_invalid(sides), _sides(sides), _setting(sides, setting)]
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
        if not side.verdicts[0].run.target.written
    ]
    if setting:
        return [*unknown, "the setting differs, which may be why the figures do:"]
    return unknown or ["the setting is the same"]


def _invalid(sides: Sequence[Side]) -> list[RenderableType]:
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
    names = short_names(sides)
    rows = [(Text(one.name), *(Text(shortened(value, SETTING_LENGTH)) for value in one.values)) for one in setting]
    by_side = [(first, _by_side(names, values)) for first, *values in rows]
    return Group(
        *lines,
        FirstThatFits(
            _table(names, rows, justify="left"),
            _table([""], by_side, justify="left", wraps=True),
        ),
    )


def _by_side(names: Sequence[str], values: Sequence[Text]) -> Text:
    """One line for each side that has a value."""
    known = [(name, value) for name, value in zip(names, values, strict=True) if value]
    return Text("\n").join(Text.assemble((name, "bold"), " ", value) for name, value in known)


def _figures(name: str, place: int, figures: Sequence[Figure]) -> RenderableType:
    """One table for each that is compared with the first. What findings have to say beyond a word follows it."""
    shown = [figure for figure in figures if not nothing_happened(figure)]
    notes = list(dict.fromkeys(note for figure in shown if (note := figure.differences[place].note)))
    wide, narrow = [], []
    for figure in shown:
        difference = figure.differences[place]
        status = WORDS[difference.finding] + (f" ({notes.index(difference.note) + 1})" if difference.note else "")
        label = Text(name_of(figure))
        first, other = (Text(value_text(figure, figure.values[side])) for side in (0, place + 1))
        changed = Text(difference_text(figure, difference))
        finding = Text(status, style=STYLES[difference.finding])
        wide.append((label, first, other, changed, finding))
        narrow.append((label, Text("\n").join([first, other]), Text("\n").join([changed, finding])))
    titles = (f"A\n{name}", f"{name} less A")
    table = FirstThatFits(
        _table(("A", name, f"{name} less A", ""), wide),
        _table(titles, narrow, name_width=NAME_WIDTH),
        _table(titles, narrow, name_width=NAME_WIDTH, wraps=True),
    )
    lines = [Text(f"({number}) {note}", style="dim") for number, note in enumerate(notes, start=1)]
    if len(shown) < len(figures):
        lines.append(Text(f"{len(figures) - len(shown)} shares that are 0 in all runs are left out", style="dim"))
    return Group(table, *lines)


def _table(
    titles: Sequence[str],
    rows: Sequence[Sequence[Text]],
    *,
    justify: JustifyMethod = "right",
    name_width: int | None = None,
    wraps: bool = False,
) -> Table:
    """Each row begins with a name, in lines of `name_width` at most. `wraps`: values go on in the next line, too."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("", max_width=name_width, overflow="fold")
    for title in titles:
        table.add_column(title, justify=justify, no_wrap=not wraps, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table
