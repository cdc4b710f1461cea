"""What `python -m proof.soak` saw: its rows, the word on each process and measure, and the table."""

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from proof.results import DOCS

PLAIN, FAST = "soak", "soak-fast"
"""The forms; the second does eight times as much in the same time. Each has its rows and its table."""
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


def as_table(name: str, result: Mapping[str, Any] | None) -> str:
    """Make the table of a long run; empty if this run was not made."""
    if result is None:
        return ""
    by_locust_mb = max((float(row["kept_by_locust_mb"] or 0.0) for row in result["rows"]), default=0.0)
    lines = [
        f"{result['at']}, {result['minutes']:.0f} minutes with {result['users']} users: {result['requests']:,} "
        f"requests, {result['probes']:,} probes, scrapes every {result['scrape_ms']:,} ms; {result['streamed']:,} "
        f"points in the database, {result['left']:,} left. The verdict: {result['verdict']}. Load average of the "
        f"machine: {result['load_median']:.1f} in the median, {result['load_most']:.1f} at most; {result['beside']}. "
        f"Of Locust's memory {by_locust_mb:.1f} MB were in the end what it keeps of each "
        f"second by itself; it is judged without that.{_report_cost(result)}",
        "",
        f"| process | {' | '.join(measure.label for measure in MEASURES)} |",
        f"|{'---|' * (1 + len(MEASURES))}",
    ]
    cells = {
        (process, measure): f"{trend.mean:.4g}, {trend.low:+.2f}…{trend.high:+.2f}: {word}"
        for process, measure, trend, word in judged(result["rows"])
    }
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
