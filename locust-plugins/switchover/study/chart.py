"""One chart of a study as SVG: a figure over an axis, a line for each series, standard deviations as bars."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import floor, log10

from switchover.study.comparison import RepeatSpread
from switchover.study.results import format_number

WIDTH, HEIGHT = 460, 260
LEFT, RIGHT, TOP, BOTTOM = 56, 12, 26, 34
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#555555", "#b15928")
"""Paul Tol's bright scheme, which the colour-blind can tell apart; each series has a shape of its own too."""
SHAPES = ("circle", "square", "diamond", "triangle")
MARKS = {"circle": "●", "square": "■", "diamond": "◆", "triangle": "▲"}
KEY_LINE = 18
TITLE_LETTERS = 54
"""That fit beside each other."""
FILE_STYLE = (
    "<style>text{font:11px system-ui,sans-serif;fill:#222}.t{font-size:13px}.h{font-size:14px;font-weight:600}"
    ".g{stroke:#0002}</style>"
)
"""A picture of its own has no page whose style it could use."""


@dataclass(frozen=True, slots=True)
class Panel:
    """`series`: name -> value of the axis -> spread."""

    title: str
    axis: str
    values: Sequence[str]
    series: Mapping[str, Mapping[str, RepeatSpread]]


def draw_panel(panel: Panel, names: Sequence[str]) -> str:
    """`names`: all series of the chart, so that both panels give them the same colours."""
    known = [spread for points in panel.series.values() for spread in points.values()]
    top = round_up(max((spread.mean + (spread.sd or 0.0) for spread in known), default=1.0))
    step = (WIDTH - LEFT - RIGHT) / max(1, len(panel.values))

    def x(position: int, series: int) -> float:
        return LEFT + step * (position + 0.5) + (series - (len(names) - 1) / 2) * min(6.0, step / (len(names) + 1))

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * max(0.0, min(value, top)) / top

    parts = [f'<text class="t" x="{LEFT}" y="15">{escape(panel.title)}</text>']
    for tick in range(5):
        at = top * tick / 4
        parts.append(f'<line class="g" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(at):.1f}" y2="{y(at):.1f}"/>')
        parts.append(
            f'<text class="n" x="{LEFT - 6}" y="{y(at) + 4:.1f}" text-anchor="end">{format_number(at)}</text>'
        )
    for position, value in enumerate(panel.values):
        middle = LEFT + step * (position + 0.5)
        label = escape(value)
        parts.append(f'<text class="n" x="{middle:.1f}" y="{HEIGHT - 16}" text-anchor="middle">{label}</text>')
    parts.append(
        f'<text class="n" x="{WIDTH - RIGHT}" y="{HEIGHT - 3}" text-anchor="end">{escape(panel.axis)}</text>'
    )
    for number, name in enumerate(names):
        points = panel.series.get(name, {})
        colour = colour_of(number)
        places = [(x(i, number), points[value]) for i, value in enumerate(panel.values) if value in points]
        if is_scale(panel.values):
            line = " ".join(f"{at:.1f},{y(spread.mean):.1f}" for at, spread in places)
            parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1" opacity="0.6"/>')
        for at, spread in places:
            parts.append(_point(at, y(spread.mean), number, colour, f"{name}: {format_number(spread.mean)}"))
            if spread.sd:
                low, high = y(spread.mean - spread.sd), y(spread.mean + spread.sd)
                parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{low:.1f}" y2="{high:.1f}" stroke="{colour}"/>')
    title = escape(f"{panel.title}, over {panel.axis}")
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">{"".join(parts)}</svg>'


def is_scale(values: Sequence[str]) -> bool:
    """Whether there is something between two values: 10 and 100 users or 1K and 10K, but not two algorithms."""
    return all(value[:1].isdigit() for value in values)


def _point(x: float, y: float, number: int, colour: str, title: str) -> str:
    shape = SHAPES[number % len(SHAPES)]
    if shape == "circle":
        drawn = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}">'
        return f"{drawn}<title>{escape(title)}</title></circle>"
    corners = {
        "square": ((-3.5, -3.5), (3.5, -3.5), (3.5, 3.5), (-3.5, 3.5)),
        "diamond": ((0, -5), (5, 0), (0, 5), (-5, 0)),
        "triangle": ((0, -5), (4.5, 4), (-4.5, 4)),
    }[shape]
    outline = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    return f'<polygon points="{outline}" fill="{colour}"><title>{escape(title)}</title></polygon>'


def colour_of(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def mark_of(number: int) -> str:
    """The shape of a series as a letter."""
    return MARKS[SHAPES[number % len(SHAPES)]]


def draw_file(title: str, panels: Sequence[Panel], names: Sequence[str]) -> str:
    """The panels below each other, with title and key, on white: a picture that stands alone."""
    keys = [(number, name) for number, name in enumerate(names) if name]
    heading = textwrap.wrap(title, TITLE_LETTERS)
    under = 10 + KEY_LINE * len(heading)
    top = under + KEY_LINE * ((len(keys) + 1) // 2)
    height = top + HEIGHT * len(panels)
    parts = [FILE_STYLE, f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>']
    for place, line in enumerate(heading):
        parts.append(f'<text class="h" x="8" y="{18 + KEY_LINE * place}">{escape(line)}</text>')
    for place, (number, name) in enumerate(keys):
        x, y = 8 + place % 2 * WIDTH // 2, under + 10 + place // 2 * KEY_LINE
        mark = f'<tspan fill="{colour_of(number)}">{mark_of(number)}</tspan>'
        parts.append(f'<text x="{x}" y="{y}">{mark} {escape(name)}</text>')
    for place, panel in enumerate(panels):
        drawn = draw_panel(panel, names)
        parts.append(drawn.replace("<svg ", f'<svg y="{top + place * HEIGHT}" width="{WIDTH}" height="{HEIGHT}" ', 1))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}">{"".join(parts)}</svg>\n'
    )


def round_up(value: float) -> float:
    """The next of 1, 2, 4, 5, 8 times a power of ten, so that four ticks are round."""
    if value <= 0:
        return 1.0
    power = 10.0 ** floor(log10(value))
    return next(step * power for step in (1, 2, 4, 5, 8, 10) if step * power >= value * 0.9999)
