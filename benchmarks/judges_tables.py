"""The judges' table and its picture: what each tool told of an outage, as a multiple of what the wire carried."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from math import log10
from typing import Any

SWITCHOVER = "Switchover"
WIDTH, LEFT, RIGHT, ROW, HEAD = 720, 205, 30, 24, 44
TICKS = (0.01, 0.1, 1.0, 10.0)
"""Multiples that the picture has lines for; what lies beyond the outer ones stands on them."""
STYLE = "text{font:12px system-ui,sans-serif;fill:#222}.h{font-weight:600}.g{stroke:#0003}.t{stroke:#1a7f37}"
Row = Mapping[str, Any]
"""A drill, as judges.json has it."""


def sources_of(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Tool and how its output is read, Switchover first."""
    others = [(row["tool"], how) for row in rows for how in row["told_ms"]]
    return list(dict.fromkeys([(SWITCHOVER, "interval's upper end"), *others]))


def told_by(source: tuple[str, str], rows: Iterable[Row]) -> list[tuple[Row, float | None]]:
    """The drills that a source looked at, and the outage in ms that it told; None: it told nothing."""
    tool, how = source
    if tool == SWITCHOVER:
        return [(row, row["high_ms"]) for row in rows]
    return [(row, row["told_ms"].get(how)) for row in rows if row["tool"] == tool]


def multiples_of(told: Iterable[tuple[Row, float | None]]) -> list[float]:
    """What was told as a multiple of the wire's outage."""
    return [value / row["wire_ms"] for row, value in told if value is not None and row["wire_ms"]]


def as_table(result: Row) -> str:
    machine = ", ".join(f"{name} {value}" for name, value in result["machine"].items())
    lines = [
        f"{result['at']}, {machine}; {result['drills']} drills per tool and fault, {result['probe_rate']} probes/s, "
        f"each tool with 10 users for {result['seconds']} s.",
        "",
        "| fault | who, and what is read | drills | outage on the wire | reading | reading / wire: median (range) "
        "| failed | no figure |",
        "|---|---|---|---|---|---|---|---|",
    ]
    rows: Sequence[Row] = result["rows"]
    for fault in dict.fromkeys(row["fault"] for row in rows):
        of_fault = [row for row in rows if row["fault"] == fault]
        for source in sources_of(of_fault):
            told = told_by(source, of_fault)
            name = f"{source[0]}: {source[1]}"
            if source[0] == SWITCHOVER:
                name = f"**{name}**; {sum(row['inside'] for row in of_fault)} of {len(of_fault)} inside the interval"
                failed = ""
            else:
                failed = _span((100 * row["failed"] / row["requests"] for row, _ in told if row["requests"]), "%")
            words = [fault, name, str(len(told)), _span(_seconds(row["wire_ms"] for row, _ in told), "s")]
            words += [_span(_seconds(value for _, value in told), "s"), _median(multiples_of(told)), failed]
            lines.append(f"| {' | '.join([*words, str(sum(value is None for _, value in told))])} |")
    return "\n".join(lines) + "\n"


def _seconds(values_ms: Iterable[float | None]) -> list[float]:
    return [value / 1000 for value in values_ms if value is not None]


def _span(values: Iterable[float], unit: str) -> str:
    known = sorted(values)
    return f"{known[0]:.3g} to {known[-1]:.3g} {unit}" if known else "-"


def _median(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})" if values else "-"


def draw(result: Row) -> str:
    """One line for each source, a dot for each drill; at 1 it told what the wire carried."""
    rows: Sequence[Row] = result["rows"]
    sources = sources_of(rows)
    faults = list(dict.fromkeys(row["fault"] for row in rows))
    panel = HEAD + ROW * len(sources)
    height = panel * len(faults) + 30
    parts = [f"<style>{STYLE}</style>", f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>']
    for number, fault in enumerate(faults):
        top = number * panel
        parts.append(f'<text class="h" x="8" y="{top + 22}">{escape(fault)}: reading / wire</text>')
        for tick in TICKS:
            kind, x = "t" if tick == 1 else "g", f"{_place(tick):.1f}"
            parts.append(f'<line class="{kind}" x1="{x}" x2="{x}" y1="{top + 34}" y2="{top + panel - 6}"/>')
            parts.append(f'<text x="{x}" y="{top + 28}" text-anchor="middle">{tick:g}</text>')
        for place, source in enumerate(sources):
            told = told_by(source, [row for row in rows if row["fault"] == fault])
            parts += _draw_source(source, told, top + HEAD + ROW * place + ROW / 2)
    caption = (
        "A dot is a drill; 1 is the outage that a capture saw. Dots on an outer line lie beyond it. "
        "The readings are ours."
    )
    parts.append(f'<text x="8" y="{height - 10}">{caption}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        f'role="img" aria-label="What can be read of an outage from each tool">{"".join(parts)}</svg>\n'
    )


def _draw_source(source: tuple[str, str], told: Sequence[tuple[Row, float | None]], y: float) -> list[str]:
    tool, how = source
    ours = tool == SWITCHOVER
    name = tool if ours else f"{tool}, {'its log' if how.startswith('first') else 'its summary'}"
    parts = [f'<text x="8" y="{y + 4:.1f}">{escape(name)}</text>']
    if told and all(value is None for _, value in told):
        parts.append(f'<text x="{LEFT}" y="{y + 4:.1f}">broke off in every drill: no figure</text>')
    dot = f'cy="{y:.1f}" r="4" fill="{"#1a7f37" if ours else "#cf222e"}" fill-opacity="0.5"'
    return [*parts, *(f'<circle cx="{_place(multiple):.1f}" {dot}/>' for multiple in multiples_of(told))]


def _place(multiple: float) -> float:
    least, most = log10(TICKS[0]), log10(TICKS[-1])
    share = (log10(min(TICKS[-1], max(TICKS[0], multiple))) - least) / (most - least)
    return LEFT + share * (WIDTH - LEFT - RIGHT)
