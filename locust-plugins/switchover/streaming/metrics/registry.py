"""The series of all metrics with their present values, from the points of a run. Thread-safe."""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from switchover.rundir.histogram import decode, highest_of
from switchover.rundir.journal_tail import LatestTotals
from switchover.rundir.measurements import EVENT
from switchover.rundir.points import Point
from switchover.streaming.metrics.families import (
    BOUNDS_S,
    EVENT_TIME,
    EVENTS,
    NUMBERS,
    STATES,
    TRAFFIC,
    VALUES,
    Family,
    Kind,
    TrafficFamily,
    number_family,
)

_BOUNDS_US = tuple(round(bound * 1e6) for bound in BOUNDS_S)

Labels = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Histogram:
    """A histogram with non-cumulative counts. The last bucket counts values above all bounds."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS_S) + 1))
    total_s: float = 0.0


@dataclass(frozen=True, slots=True)
class _Second:
    """The totals of one second of one series."""

    count: int = 0
    size: int = 0
    total_s: float = 0.0
    buckets: tuple[int, ...] = (0,) * (len(BOUNDS_S) + 1)


Series = dict[Labels, float | Histogram]


class Registry:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._families: dict[str, tuple[Family, Series]] = {}
        self._totals = LatestTotals(_Second())
        self._labels: dict[Labels, Labels] = {}
        """The labels of traffic, stored once for all seconds."""
        self._first_ns: int | None = None
        self._latest: dict[tuple[str, Labels], int] = {}

    def add(self, point: Point) -> None:
        """Add one point. Points may arrive in any order: the value of a metric is that of the point with the latest
        time."""
        labels = tuple(sorted(point.tags.items()))
        with self._lock:
            if self._first_ns is None or point.time_ns < self._first_ns:
                self._first_ns = point.time_ns
            traffic = TRAFFIC.get(point.measurement)
            if traffic is not None:
                self._add_traffic(traffic, point, labels)
                return
            if point.measurement == EVENT:
                event_labels = tuple(label for label in labels if label[0] != "id")
                self._raise(EVENTS, event_labels, 1)
                if self._is_latest(point, event_labels):
                    self._set(EVENT_TIME, event_labels, point.time_ns / 1e9)
                return
            self._add_values(point, labels, is_latest=self._is_latest(point, labels))

    @property
    def first_ns(self) -> int:
        """Return the time of the earliest point in ns; 0 if there are no points."""
        with self._lock:
            return self._first_ns or 0

    def collect(self) -> Iterator[tuple[Family, list[tuple[Labels, float | Histogram]]]]:
        with self._lock:
            families = [
                (family, [(labels, _copied(value)) for labels, value in sorted(series.items())])
                for _, (family, series) in sorted(self._families.items())
            ]
        yield from families

    def _is_latest(self, point: Point, labels: Labels) -> bool:
        is_latest = point.time_ns >= self._latest.get((point.measurement, labels), 0)
        if is_latest:
            self._latest[point.measurement, labels] = point.time_ns
        return is_latest

    def _add_values(self, point: Point, labels: Labels, *, is_latest: bool) -> None:
        for name, number in point.fields.items():
            value = VALUES.get((point.measurement, name))
            if value is not None and value.adds and not isinstance(number, str):
                self._raise(value.family, labels, number * value.scale)
            elif not is_latest:
                continue
            elif isinstance(number, str):
                self._add_state(point.measurement, name, number, labels)
            elif value is not None:
                self._set(value.family, labels, number * value.scale)
            elif point.measurement in NUMBERS:
                self._set(number_family(point.measurement, name), labels, float(number))

    def _add_state(self, measurement: str, name: str, text: str, labels: Labels) -> None:
        family = STATES.get((measurement, name))
        if family is None:
            return
        for other in self._series(family):
            if tuple(label for label in other if label[0] != name) == labels:
                self._set(family, other, 0)
        self._set(family, tuple(sorted((*labels, (name, text)))), 1)

    def _add_traffic(self, traffic: TrafficFamily, point: Point, labels: Labels) -> None:
        labels = self._labels.setdefault(labels, labels)
        now = _second_of(point.fields)
        before = self._totals.replace(point.time_ns // 1_000_000_000, (point.measurement, labels), now)
        self._raise(traffic.count, labels, now.count - before.count)
        self._raise(traffic.size, labels, now.size - before.size)
        histogram = self._series(traffic.duration).setdefault(labels, Histogram())
        assert isinstance(histogram, Histogram)
        histogram.total_s += now.total_s - before.total_s
        for index, (count, had) in enumerate(zip(now.buckets, before.buckets, strict=True)):
            histogram.counts[index] += count - had

    def _series(self, family: Family) -> Series:
        return self._families.setdefault(family.name, (family, {}))[1]

    def _set(self, family: Family, labels: Labels, value: float) -> None:
        self._series(family)[labels] = value

    def _raise(self, family: Family, labels: Labels, by: float) -> None:
        series = self._series(family)
        had = series.get(labels, 0)
        assert not isinstance(had, Histogram) and family.kind is Kind.COUNTER
        series[labels] = had + by


def _copied(value: float | Histogram) -> float | Histogram:
    return Histogram(list(value.counts), value.total_s) if isinstance(value, Histogram) else value


def _second_of(fields: Mapping[str, object]) -> _Second:
    def number(name: str) -> float:
        value = fields.get(name)
        return value if isinstance(value, int | float) else 0

    buckets = [0] * (len(BOUNDS_S) + 1)
    try:
        counts = decode(str(fields.get("hdr", "")))
    except ValueError:
        counts = {}
    for index, count in counts.items():
        highest_us = highest_of(index)
        buckets[next((i for i, bound in enumerate(_BOUNDS_US) if highest_us <= bound), len(_BOUNDS_US))] += count
    # If the histogram is unreadable, the last bucket gets all values, so that buckets and count match.
    buckets[-1] += max(0, int(number("count")) - sum(buckets))
    return _Second(int(number("count")), int(number("bytes")), number("rt_sum") / 1000, tuple(buckets))
