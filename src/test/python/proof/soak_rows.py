"""What `python -m proof.soak` saw: its rows, the word on each process and measure, the table and the picture."""

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import sqrt
from pathlib import Path
from typing import Any

from proof.results import DOCS

PLAIN, FAST = "soak", "soak-fast"
"""The forms; the second does eight times as much in the same time. Each has its rows, its picture and its table."""
Row = Mapping[str, Any]
"""One process at one moment."""
SETTLING = 0.25
"""The share of the run that is not judged: caches fill, and each kind of answer comes for the first time."""
SETTLING_S = 900.0
"""At least so much is not judged: caches and what is kept second by second fill."""
JUDGED_S = 1800.0
"""At least so much must be left: an allocator takes memory from the system in steps of up to half a megabyte, and one
of them in ten minutes would be three in an hour."""
BLOCKS = 12
"""Of equal length in the rest. Neighbouring values are alike, so that a line through all of them would seem surer
than it is; the means of blocks of minutes are nearly independent."""
T_975 = 2.228
"""Student's t for 95 % on both sides, with BLOCKS - 2 degrees of freedom."""
HOUR_S = 3600.0
FLAT, GROWS, FALLS, NOT_SHOWN, TOO_SHORT = "flat", "grows", "falls", "not shown", "too short"


@dataclass(frozen=True, slots=True)
class Measure:
    """What is measured of a process, and by how much it may change in an hour to be called flat."""

    column: str
    title: str
    unit: str
    least: float
    share: float = 0.0
    """Of the mean; the larger of the two counts."""
    less: str = ""
    """The column of what does not count."""

    @property
    def label(self) -> str:
        return self.title if self.unit == self.title else f"{self.title}, {self.unit}"

    def limit(self, mean: float) -> float:
        return max(self.least, self.share * mean)


MEASURES = (
    Measure("mb", "memory", "MB", 1.0, 0.03, less="kept_by_locust_mb"),
    Measure("descriptors", "descriptors", "descriptors", 1.0),
    Measure("threads", "threads", "threads", 1.0),
    Measure("lag_p99_ms", "p99 send lag", "ms", 0.5),
    Measure("cpu_percent", "processor", "% of a core", 1.0),
)


@dataclass(frozen=True, slots=True)
class Trend:
    """By how much a measure changes in an hour, with its 95 % confidence interval."""

    mean: float
    low: float
    high: float
    judged_s: float
    """How long the part of the run was that it is of."""

    def word(self, limit: float) -> str:
        if self.judged_s < JUDGED_S:
            return TOO_SHORT
        if self.low > limit:
            return GROWS
        if self.high < -limit:
            return FALLS
        return FLAT if -limit <= self.low and self.high <= limit else NOT_SHOWN


def trend_of(values: Sequence[tuple[float, float]]) -> Trend | None:
    """Of (seconds, value) in order of time, by a line through the means of the blocks; None: there are too few."""
    if not values:
        return None
    begin_s, end_s = values[0][0], values[-1][0]
    from_s = begin_s + max(SETTLING_S, SETTLING * (end_s - begin_s))
    block_s = (end_s - from_s) / BLOCKS
    blocks: list[list[tuple[float, float]]] = [[] for _ in range(BLOCKS)]
    for at_s, value in values:
        if at_s >= from_s and block_s > 0:
            blocks[min(BLOCKS - 1, int((at_s - from_s) / block_s))].append((at_s / HOUR_S, value))
    if not all(blocks):
        return None
    hours, means = ([statistics.fmean(pair[place] for pair in block) for block in blocks] for place in range(2))
    slope, intercept = statistics.linear_regression(hours, means)
    off = sum((mean - intercept - slope * hour) ** 2 for hour, mean in zip(hours, means, strict=True))
    spread = sum((hour - statistics.fmean(hours)) ** 2 for hour in hours)
    margin = T_975 * sqrt(off / (BLOCKS - 2) / spread)
    return Trend(statistics.fmean(means), slope - margin, slope + margin, end_s - from_s)


def processes(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row["process"] for row in rows))


def values_of(rows: Sequence[Row], process: str, column: str) -> list[tuple[float, float]]:
    """(seconds, value) of a measure; empty where the process has none."""
    return [(row["at_s"], row[column]) for row in rows if row["process"] == process and row[column] is not None]


def _judged_values(rows: Sequence[Row], process: str, measure: Measure) -> list[tuple[float, float]]:
    less = dict(values_of(rows, process, measure.less)) if measure.less else {}
    return [(at_s, value - less.get(at_s, 0.0)) for at_s, value in values_of(rows, process, measure.column)]


def judged(rows: Sequence[Row]) -> Iterator[tuple[str, Measure, Trend, str]]:
    """Each process and measure with its trend and word."""
    for process in processes(rows):
        for measure in MEASURES:
            trend = trend_of(_judged_values(rows, process, measure))
            if trend is not None:
                yield process, measure, trend, trend.word(measure.limit(trend.mean))


def read_result(name: str) -> dict[str, Any] | None:
    """None: this form has not been run."""
    path = DOCS / "proof" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def keep(name: str, result: Mapping[str, Any]) -> None:
    """A row a line."""
    head = json.dumps({key: value for key, value in result.items() if key != "rows"})
    rows = ",\n".join(json.dumps(row) for row in result["rows"])
    (DOCS / "proof" / f"{name}.json").write_text(f'{head[:-1]}, "rows": [\n{rows}\n]}}\n', encoding="utf-8")


def picture(name: str) -> Path:
    return DOCS / "images" / f"{name}.svg"


def as_table(name: str, result: Mapping[str, Any] | None) -> str:
    """Make the table of a long run; empty if this run was not made."""
    if result is None:
        return ""
    lines = [
        f"{result['at']}, {result['minutes']:.0f} minutes with {result['users']} users: {result['requests']:,} "
        f"requests, {result['probes']:,} probes, scrapes every {result['scrape_ms']:,} ms; {result['streamed']:,} "
        f"points in the database, {result['left']:,} left. The verdict: {result['verdict']}. Load average of the "
        f"machine: {result['load_median']:.1f} in the median, {result['load_most']:.1f} at most; {result['beside']}. "
        f"Of Locust's memory {_kept_by_locust_mb(result['rows']):.1f} MB were in the end what it keeps of each "
        f"second by itself; it is judged without that.{_report_cost(result)}",
        "",
        f"| process | {' | '.join(measure.label for measure in MEASURES)} |",
        f"|{'---|' * (1 + len(MEASURES))}",
    ]
    cells = {(process, measure): _cell(trend, word) for process, measure, trend, word in judged(result["rows"])}
    lines += [
        f"| {process} | {' | '.join(cells.get((process, measure), '-') for measure in MEASURES)} |"
        for process in processes(result["rows"])
    ]
    return "\n".join(lines)


def _report_cost(result: Mapping[str, Any]) -> str:
    """Nothing of a row from before it was looked at."""
    if "report_cpu_s" not in result:
        return ""
    return (
        f" Its report, with {result['journal_mb']:,} MB of journals, took {result['report_cpu_s']:,} s of processor "
        f"time and {result['report_mb']:,} MB of memory."
    )


def _kept_by_locust_mb(rows: Sequence[Row]) -> float:
    return max((float(row["kept_by_locust_mb"] or 0.0) for row in rows), default=0.0)


def _cell(trend: Trend, word: str) -> str:
    return f"{trend.mean:.4g}, {trend.low:+.2f}…{trend.high:+.2f}: {word}"


WIDTH, PANEL, LEFT, RIGHT, TOP, BOTTOM = 720, 170, 50, 150, 30, 30
COLOURS = ("#0969da", "#1a7f37", "#bc4c00", "#8250df", "#bf3989", "#57606a", "#9a6700")
STYLE = "text{font:11px system-ui,sans-serif;fill:#222}.h{font-weight:600}.g{stroke:#0002}polyline{fill:none}"


def draw(result: Mapping[str, Any]) -> str:
    """A panel for each measure, a line for each process."""
    height = PANEL * len(MEASURES) + 8
    parts = [f"<style>{STYLE}</style>", f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>']
    for number, measure in enumerate(MEASURES):
        panel = "".join(_panel(measure, result["rows"]))
        parts.append(f'<g transform="translate(0 {PANEL * number})">{panel}</g>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        f'role="img" aria-label="Each process of a long run, over its minutes">{"".join(parts)}</svg>\n'
    )


def _panel(measure: Measure, rows: Sequence[Row]) -> Iterator[str]:
    curves = {process: values_of(rows, process, measure.column) for process in processes(rows)}
    most = max((value for curve in curves.values() for _, value in curve), default=0.0) * 1.1 or 1.0
    end_s = max((row["at_s"] for row in rows), default=1.0)
    width, height = WIDTH - LEFT - RIGHT, PANEL - TOP - BOTTOM
    yield f'<text class="h" x="8" y="18">{escape(measure.label)}</text>'
    for share in (0.0, 0.5, 1.0):
        y = TOP + height * (1 - share)
        yield f'<line class="g" x1="{LEFT}" x2="{LEFT + width}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{most * share:.3g}</text>'
        x, minutes = LEFT + width * share, end_s * share / 60
        yield f'<text x="{x:.1f}" y="{PANEL - 12}" text-anchor="middle">{minutes:.0f} min</text>'
    named = 0
    for place, (process, curve) in enumerate(curves.items()):
        if curve:
            colour = COLOURS[place % len(COLOURS)]
            points = " ".join(
                f"{LEFT + width * at_s / end_s:.1f},{TOP + height * (1 - value / most):.1f}" for at_s, value in curve
            )
            yield f'<polyline stroke="{colour}" points="{points}"/>'
            y = TOP + 10 + 14 * named
            yield f'<text x="{LEFT + width + 8}" y="{y}" style="fill:{colour}">{escape(process)}</text>'
            named += 1
