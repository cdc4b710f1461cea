"""The metrics for each field of a point, with Prometheus' naming (https://prometheus.io/docs/practices/naming/)."""

import copy
import re
import threading
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from switchover.rundir.histogram import decode, highest_of
from switchover.rundir.journal_tail import LatestTotals
from switchover.rundir.measurements import (
    ADVERT,
    EVENT,
    HAPROXY,
    HAPROXY_INFO,
    LIMIT,
    MACHINE,
    NGINX,
    PROBES,
    PROCESS,
    PROXY,
    REQUESTS,
    SCRAPE,
    USERS,
    VERDICT,
    VRRP,
)
from switchover.rundir.points import Point

BOUNDS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Kind(Enum):
    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"
    UNTYPED = "untyped"
    """The type of a number from a balancer, because its statistics do not distinguish counters from gauges."""


@dataclass(frozen=True, slots=True)
class Family:
    """A metric, which has one series for each set of labels. `unit` is the unit code for OTLP (UCUM)."""

    name: str
    kind: Kind
    help: str
    unit: str = "1"


@dataclass(frozen=True, slots=True)
class TrafficFamily:
    count: Family
    size: Family
    duration: Family


class MetricValue(NamedTuple):
    """A field of a point as a metric: the value in the last point, or with `adds` the sum of the values in all
    points."""

    family: Family
    scale: float = 1.0
    adds: bool = False


def _traffic(name: str, what: str) -> TrafficFamily:
    return TrafficFamily(
        Family(f"switchover_{name}s_total", Kind.COUNTER, f"Number of {what} that ended"),
        Family(f"switchover_{name}s_received_bytes_total", Kind.COUNTER, f"Bytes of the responses to {what}", "By"),
        Family(f"switchover_{name}_duration_seconds", Kind.HISTOGRAM, f"Duration of {what}", "s"),
    )


TRAFFIC: Mapping[str, TrafficFamily] = {
    REQUESTS: _traffic("request", "requests"),
    PROBES: _traffic("probe", "probes"),
}

_HELP: Mapping[str, Mapping[str, str]] = {
    USERS: {"active": "Number of running users"},
    NGINX: {
        "active": "Number of open connections of Nginx",
        "reading": "Number of connections from which Nginx is reading a request",
        "writing": "Number of connections to which Nginx is sending a response",
        "waiting": "Number of idle connections of Nginx",
        "accepts": "Number of connections that Nginx accepted",
        "handled": "Number of connections that Nginx handled",
        "requests": "Number of requests that Nginx read",
    },
    VRRP: {
        "priority": "VRRP priority of the node",
        "holds_vip": "1 if the node holds the virtual address, otherwise 0",
    },
    ADVERT: {"priority": "Priority in the last VRRP advert of the node"},
    PROCESS: {
        "cpu_percent": "CPU usage of a process on the node; 1 is one core",
        "rss_bytes": "Resident memory of a process on the node",
        "load1": "Load average of the node over one minute",
    },
    MACHINE: {
        "stolen_ms": "CPU time that the hypervisor took from the client machine",
        "softirq_ms": "CPU time of the client machine for packets and timers (softirq)",
        "waited_ms": "Time during which the prober was ready to run, but waited for a CPU",
        "running": "Number of processes on the client machine that run or wait for a CPU",
    },
    SCRAPE: {
        "duration_ms": "Duration of the last scrape",
        "ok": "1 if the last scrape could be read, otherwise 0",
        "rows": "Number of rows in the last scrape",
    },
    VERDICT: {
        "valid": "1 if the run is valid, otherwise 0",
        "exit_code": "Exit code of the run",
        "recovered": "1 if the service recovered, otherwise 0",
        "outage_low_ms": "Lower bound of the outage",
        "outage_high_ms": "Upper bound of the outage",
        "failback_low_ms": "Lower bound of the failback",
        "failback_high_ms": "Upper bound of the failback",
        "split_brain_ms": "Time during which more than one balancer held the virtual address",
        "failed_percent": "Share of failed requests during the switchover, 0 to 1",
        "failed": "Number of failed requests of the load",
        "samples": "Number of requests of the load",
        "probes": "Number of probes",
        "probes_failed": "Number of failed probes",
        "unaccounted": "Number of requests that the accounting cannot explain",
        "predicted_low_ms": "Lower bound of the predicted outage",
        "predicted_high_ms": "Upper bound of the predicted outage",
    },
    LIMIT: {
        "limit": "Largest value that the limit allows",
        "low": "Lower bound of the measured figure",
        "high": "Upper bound of the measured figure",
    },
}
"""The help text of each numeric metric. The metric is named after the measurement and the field, in base units."""

_NAMES = {
    (USERS, "active"): "users",
    (NGINX, "active"): "nginx_connections_active",
    (NGINX, "reading"): "nginx_connections_reading",
    (NGINX, "writing"): "nginx_connections_writing",
    (NGINX, "waiting"): "nginx_connections_waiting",
    (NGINX, "accepts"): "nginx_connections_accepted_total",
    (NGINX, "handled"): "nginx_connections_handled_total",
    (NGINX, "requests"): "nginx_requests_total",
    (PROCESS, "rss_bytes"): "process_resident_memory_bytes",
    (VERDICT, "failed"): "verdict_samples_failed",
    (VERDICT, "verdict"): "verdict_status",
}
"""The metrics whose names are not made from the names of the measurement and the field."""
_UNITS = {"_ms": ("_seconds", "s", 1e-3), "_percent": ("_ratio", "1", 0.01), "_bytes": ("_bytes", "By", 1.0)}
"""For each suffix of a field name: the metric's suffix, unit and scale factor."""


def _name(measurement: str, field: str) -> str:
    return "switchover_" + _NAMES.get((measurement, field), f"{measurement.removeprefix('switchover_')}_{field}")


def _value(measurement: str, field: str, text: str) -> MetricValue:
    name, unit, scale = _name(measurement, field), "1", 1.0
    for ending, (base, code, factor) in _UNITS.items():
        if name.endswith(ending):
            name, unit, scale = name.removesuffix(ending) + base, code, factor
    adds = measurement == MACHINE and unit == "s"
    name += "_total" if adds else ""
    kind = Kind.COUNTER if name.endswith("_total") else Kind.GAUGE
    return MetricValue(Family(name, kind, text, unit), scale, adds)


VALUES: Mapping[tuple[str, str], MetricValue] = {
    (measurement, field): _value(measurement, field, text)
    for measurement, fields in _HELP.items()
    for field, text in fields.items()
}

STATES: Mapping[tuple[str, str], Family] = {
    (measurement, field): Family(
        _name(measurement, field), Kind.GAUGE, f"1 if the label `{field}` has the {text}, otherwise 0"
    )
    for measurement, field, text in (
        (HAPROXY, "status", "present status of the proxy or server in HAProxy"),
        (PROXY, "status", "present status of the proxy or server in the balancer"),
        (VRRP, "state", "present VRRP state of the node"),
        (VERDICT, "verdict", "verdict of the run"),
        (VERDICT, "target", "name of the target"),
        (VERDICT, "change", "name of the change"),
        (VERDICT, "versions", "versions of the balancers"),
        (LIMIT, "state", "state of the limit"),
        (LIMIT, "unit", "unit of the limit"),
    )
}
"""Fields with text. Each possible text has a series, which is 1 if the field has the text, otherwise 0."""

EVENTS = Family("switchover_events_total", Kind.COUNTER, "Number of events of each kind, such as fault and heal")
_TIME_TEXT = "Time of the last event of each kind, in seconds since the epoch"
EVENT_TIME = Family("switchover_event_timestamp_seconds", Kind.GAUGE, _TIME_TEXT, "s")
NUMBERS = (HAPROXY, HAPROXY_INFO, PROXY)
"""Measurements whose integer fields become metrics, with the names that the source uses."""


def number_family(measurement: str, field: str) -> Family:
    name = re.sub("[^A-Za-z0-9_]", "_", field)
    return Family(f"{measurement}_{name.lower()}", Kind.UNTYPED, f"The balancer's {field}")


_BOUNDS_US = tuple(round(bound * 1e6) for bound in BOUNDS_S)

Labels = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Histogram:
    """A histogram with non-cumulative counts. The last bucket counts values above all bounds."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS_S) + 1))
    total_s: float = 0.0


@dataclass(frozen=True, slots=True)
class _Second:
    count: int = 0
    size: int = 0
    total_s: float = 0.0
    buckets: tuple[int, ...] = (0,) * (len(BOUNDS_S) + 1)


Series = dict[Labels, float | Histogram]


class Registry:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._series: defaultdict[Family, Series] = defaultdict(dict)
        self._totals = LatestTotals(_Second())
        self._labels: dict[Labels, Labels] = {}
        """The labels of traffic points. Points of different seconds share one stored copy of their labels."""
        self._first_ns: int | None = None
        self._latest: dict[tuple[str, Labels], int] = {}

    def add(self, point: Point) -> None:
        """Add one point, in any order: a metric has the value of the point with the latest time."""
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
                    self._series[EVENT_TIME][event_labels] = point.time_ns / 1e9
                return
            self._add_values(point, labels, is_latest=self._is_latest(point, labels))

    @property
    def first_ns(self) -> int:
        """Return the time of the earliest point in ns; 0 if there are no points."""
        with self._lock:
            return self._first_ns or 0

    def collect(self) -> list[tuple[Family, list[tuple[Labels, float | Histogram]]]]:
        with self._lock:
            return [
                (family, [(labels, copy.deepcopy(value)) for labels, value in sorted(series.items())])
                for family, series in sorted(self._series.items(), key=lambda item: item[0].name)
            ]

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
                self._series[value.family][labels] = number * value.scale
            elif point.measurement in NUMBERS:
                self._series[number_family(point.measurement, name)][labels] = float(number)

    def _add_state(self, measurement: str, name: str, text: str, labels: Labels) -> None:
        family = STATES.get((measurement, name))
        if family is None:
            return
        series = self._series[family]
        for other in series:
            if tuple(label for label in other if label[0] != name) == labels:
                series[other] = 0
        series[tuple(sorted((*labels, (name, text))))] = 1

    def _add_traffic(self, traffic: TrafficFamily, point: Point, labels: Labels) -> None:
        labels = self._labels.setdefault(labels, labels)
        now = _second_of(point)
        before = self._totals.replace(point.time_ns // 1_000_000_000, (point.measurement, labels), now)
        self._raise(traffic.count, labels, now.count - before.count)
        self._raise(traffic.size, labels, now.size - before.size)
        histogram = self._series[traffic.duration].setdefault(labels, Histogram())
        assert isinstance(histogram, Histogram)
        histogram.total_s += now.total_s - before.total_s
        for index, (count, had) in enumerate(zip(now.buckets, before.buckets, strict=True)):
            histogram.counts[index] += count - had

    def _raise(self, family: Family, labels: Labels, by: float) -> None:
        series = self._series[family]
        had = series.get(labels, 0)
        assert not isinstance(had, Histogram) and family.kind is Kind.COUNTER
        series[labels] = had + by


def _second_of(point: Point) -> _Second:
    count, size, total_ms = (point.number(name) or 0 for name in ("count", "bytes", "rt_sum"))
    buckets = [0] * (len(BOUNDS_S) + 1)
    try:
        counts = decode(str(point.fields.get("hdr", "")))
    except ValueError:
        counts = {}
    for index, number in counts.items():
        buckets[bisect_left(_BOUNDS_US, highest_of(index))] += number
    # If the histogram is unreadable, the last bucket gets all values, so that buckets and count match.
    buckets[-1] += max(0, int(count) - sum(buckets))
    return _Second(int(count), int(size), total_ms / 1000, tuple(buckets))
