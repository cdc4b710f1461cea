"""Figures of several runs as text."""

from collections.abc import Sequence

from switchover.analysis.compare.comparison import Difference, Figure, FigureUnit, Finding, Side, Value

NOTHING = "-"


def name_of(figure: Figure) -> str:
    return f"{figure.name}, {figure.phase}" if figure.phase else figure.name


def value_text(figure: Figure, value: Value) -> str:
    """The value with its bound, as an outage is printed"""
    if value.value is None:
        return NOTHING
    shown = _number(value.value, figure.unit)
    if value.low is None or value.high is None or value.high - value.low == 0:
        return shown
    down, up = value.value - value.low, value.high - value.value
    return f"{shown} (−{_number(down, figure.unit, bare=True)}/+{_number(up, figure.unit, bare=True)})"  # noqa: RUF001


def difference_text(figure: Figure, difference: Difference) -> str:
    """`+12.5 ms [+8.1, +16.2]`"""
    if difference.value is None:
        return NOTHING
    shown = _signed(difference.value, figure.unit)
    if figure.unit is FigureUnit.SHARE:
        shown = shown.replace("%", "points")
    interval = difference.interval
    if interval is None:
        return shown
    low, high = (_signed(end, figure.unit, bare=True) for end in (interval.low, interval.high))
    return f"{shown} [{low}, {high}]"


def nothing_happened(figure: Figure) -> bool:
    """A share of failures that is 0 in all runs."""
    return figure.unit is FigureUnit.SHARE and all(value.value in (None, 0) for value in figure.values)


def finding_text(difference: Difference) -> str:
    return f"{difference.finding.value}: {difference.note}" if difference.note else difference.finding.value


def counted(figures: Sequence[Figure]) -> str:
    """How many differ, and how many would by chance."""
    differences = [one for figure in figures for one in figure.differences]
    differ = sum(one.finding is Finding.DIFFERS for one in differences)
    known = sum(one.interval is not None for one in differences)
    chance = f"; of as many that are equal, chance makes about {known / 20:.0f} seem different" if known >= 20 else ""
    return f"{differ} of {known} figures differ by more than these runs leave to chance or to their bounds{chance}"


def short_names(sides: Sequence[Side]) -> list[str]:
    """A, B, C, …"""
    return [chr(ord("A") + place) for place in range(len(sides))]


def _number(value: float, unit: FigureUnit, *, bare: bool = False) -> str:
    if abs(value) < 1e-6:
        return "0" if bare else f"0 {'%' if unit is FigureUnit.SHARE else unit.value}"
    if unit is FigureUnit.SHARE:
        return f"{value * 100:.3g}" + ("" if bare else " %")
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.1f}" if abs(value) >= 10 else f"{value:.2f}"
    return text if bare else f"{text} {unit.value}"


def _signed(value: float, unit: FigureUnit, *, bare: bool = False) -> str:
    return ("+" if value >= 0 else "−") + _number(abs(value), unit, bare=bare)  # noqa: RUF001
