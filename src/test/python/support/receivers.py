"""What a run was sent to, asked in its own language: how many, by whom answered, when, and what the verdict says.

A measurement is named as in the points, without `switchover_`; its metric is called after it.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from support.influxdb import InfluxDB
from support.otlp import metrics_of
from support.prometheus import Prometheus

METRICS_OF_FIGURES = {"failed": "samples_failed"}
"""Of the verdict: where a metric is called otherwise than the field of the point."""


class Receiver(Protocol):
    """One that knows one run."""

    def counted(self, measurement: str, by: str, **only: str) -> dict[str, int]:
        """Requests of a measurement by the value of a tag, of those with these tags; no value is the empty text."""

    def last_us(self, kind: str) -> int:
        """When an event of the kind happened last, in microseconds since the epoch."""

    def figure(self, name: str) -> float:
        """A number of the verdict, by its field in the point."""

    def status(self) -> str:
        """The verdict's."""


class Database(Receiver, Protocol):
    """One that has the points themselves."""

    def times_us(self, kind: str) -> list[int]:
        """When events of the kind happened, in order."""

    def counted_by_second(self, measurement: str, **only: str) -> dict[int, int]:
        """Requests with these tags, by the second since the epoch in which they ended."""


@dataclass(frozen=True, slots=True)
class AskedInPromql:
    """A Prometheus, within an hour after the run: what it scraped last is gone for a plain query."""

    server: Prometheus
    run: str

    def counted(self, measurement: str, by: str, **only: str) -> dict[str, int]:
        asked = f"sum by ({by}) ({self._last(f'{measurement}_total', **only)})"
        return {"".join(values): int(number) for values, number in self.server.ask(asked).items()}

    def last_us(self, kind: str) -> int:
        return _microseconds(self._one(self._last("event_timestamp_seconds", kind=kind)))

    def figure(self, name: str) -> float:
        metric, unit = _metric_of(name)
        return self._one(self._last(metric)) / unit

    def status(self) -> str:
        statuses = self.server.ask(f"max by (word) ({self._last('verdict_word')})")
        (status,) = (status for (status,), holds in statuses.items() if holds)
        return status

    def timed(self, measurement: str, **only: str) -> int:
        """Requests in the histogram of their durations."""
        return int(self._one(f"sum({self._last(f'{measurement}_duration_seconds_count', **only)})"))

    def _one(self, asked: str) -> float:
        (value,) = self.server.ask(f"max({asked})").values()
        return value

    def _last(self, metric: str, **only: str) -> str:
        chosen = ",".join(f'{name}="{value}"' for name, value in {"run": self.run, **only}.items())
        return f"last_over_time(switchover_{metric}{{{chosen}}}[1h])"


@dataclass(frozen=True, slots=True)
class PushedByOtlp:
    """The last export request of a run: totals since its first point."""

    pushed: dict[str, Any]
    run: str

    def counted(self, measurement: str, by: str, **only: str) -> dict[str, int]:
        found = Counter[str]()
        for attributes, point in self._points(measurement, "sum", **only):
            found[attributes.get(by, "")] += int(point["asDouble"])
        return dict(found)

    def last_us(self, kind: str) -> int:
        return max(_microseconds(value) for value in self._gauge("event_timestamp_seconds", kind=kind))

    def figure(self, name: str) -> float:
        metric, unit = _metric_of(name)
        (value,) = self._gauge(metric)
        return value / unit

    def status(self) -> str:
        points = self._points("verdict_word", "gauge")
        (status,) = (attributes["verdict"] for attributes, point in points if point["asDouble"])
        return status

    def timed(self, measurement: str, **only: str) -> int:
        """Requests in the histogram of their durations."""
        points = self._points(f"{measurement}_duration_seconds", "histogram", **only)
        return sum(int(point["count"]) for _, point in points)

    def _gauge(self, metric: str, **only: str) -> list[float]:
        return [float(point["asDouble"]) for _, point in self._points(metric, "gauge", **only)]

    def _points(self, metric: str, form: str, **only: str) -> Iterator[tuple[dict[str, str], dict[str, Any]]]:
        """With their attributes."""
        for point in metrics_of(self.pushed)[f"switchover_{metric}"][form]["dataPoints"]:
            attributes = {one["key"]: one["value"]["stringValue"] for one in point["attributes"]}
            if attributes.items() >= {"run": self.run, **only}.items():
                yield attributes, point


@dataclass(frozen=True, slots=True)
class AskedInInfluxql:
    """A database of an InfluxDB 1 or 2."""

    server: InfluxDB
    database: str
    run: str

    def counted(self, measurement: str, by: str, **only: str) -> dict[str, int]:
        asked = f'SELECT sum("count") FROM {self._of(measurement, **only)} GROUP BY "{by}"'
        return {one.tags[by]: one.rows[0][1] for one in self.server.query(asked, self.database)}

    def last_us(self, kind: str) -> int:
        return self.times_us(kind)[-1]

    def figure(self, name: str) -> float:
        return float(self._value(name))

    def status(self) -> str:
        return str(self._value("verdict"))

    def times_us(self, kind: str) -> list[int]:
        asked = f'SELECT "text" FROM {self._of("event", kind=kind)}'
        return [time_ns // 1000 for one in self.server.query(asked, self.database) for time_ns in one.column("time")]

    def counted_by_second(self, measurement: str, **only: str) -> dict[int, int]:
        found = Counter[int]()
        for one in self.server.query(f'SELECT "count" FROM {self._of(measurement, **only)}', self.database):
            for time_ns, count in one.rows:
                found[time_ns // 10**9] += count
        return dict(found)

    def _value(self, name: str) -> Any:
        ((_, value),) = self.server.query(f'SELECT "{name}" FROM {self._of("verdict")}', self.database)[0].rows
        return value

    def _of(self, measurement: str, **only: str) -> str:
        chosen = " AND ".join(f"\"{name}\" = '{value}'" for name, value in {"run": self.run, **only}.items())
        return f'"switchover_{measurement}" WHERE {chosen}'


@dataclass(frozen=True, slots=True)
class AskedInFlux:
    """A bucket of an InfluxDB 2."""

    server: InfluxDB
    bucket: str
    run: str

    def counted(self, measurement: str, by: str, **only: str) -> dict[str, int]:
        asked = f'{self._of(measurement, "count", **only)} |> group(columns: ["{by}"]) |> sum()'
        return {row.get(by, ""): int(row["_value"]) for row in self.server.flux(asked)}

    def last_us(self, kind: str) -> int:
        return self.times_us(kind)[-1]

    def figure(self, name: str) -> float:
        return float(self._value(name))

    def status(self) -> str:
        return self._value("verdict")

    def times_us(self, kind: str) -> list[int]:
        return sorted(int(row["ns"]) // 1000 for row in self._with_times("event", "text", kind=kind))

    def counted_by_second(self, measurement: str, **only: str) -> dict[int, int]:
        found = Counter[int]()
        for row in self._with_times(measurement, "count", **only):
            found[int(row["ns"]) // 10**9] += int(row["value"])
        return dict(found)

    def _value(self, name: str) -> str:
        (row,) = self.server.flux(self._of("verdict", name))
        return row["_value"]

    def _with_times(self, measurement: str, field: str, **only: str) -> list[dict[str, str]]:
        as_numbers = "group() |> map(fn: (r) => ({ns: int(v: r._time), value: r._value}))"
        return self.server.flux(f"{self._of(measurement, field, **only)} |> {as_numbers}")

    def _of(self, measurement: str, field: str, **only: str) -> str:
        chosen = {"_measurement": f"switchover_{measurement}", "_field": field, "run": self.run, **only}
        wanted = " and ".join(f'r.{name} == "{value}"' for name, value in chosen.items())
        return f'from(bucket: "{self.bucket}") |> range(start: 0) |> filter(fn: (r) => {wanted})'


def _metric_of(figure: str) -> tuple[str, float]:
    """The verdict's metric for a field of its point, and its unit in that of the field."""
    name = METRICS_OF_FIGURES.get(figure, figure)
    return (f"verdict_{name.removesuffix('_ms')}_seconds", 1e-3) if name.endswith("_ms") else (f"verdict_{name}", 1.0)


def _microseconds(seconds: float) -> int:
    """A double tells seconds of this century to a quarter of a microsecond."""
    return round(seconds * 1e6)
