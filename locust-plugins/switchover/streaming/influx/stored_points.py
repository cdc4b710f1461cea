"""The points of a run in a database, as the run wrote them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from switchover.rundir.measurements import MEASUREMENTS, Measurement
from switchover.rundir.points import INT64_MAX, INT64_MIN, FieldValue, Point
from switchover.streaming.influx.database_client import DatabaseClient, quoted, text

WINDOW_NS = 600 * 10**9
"""So much of a run is asked for at once: an answer of a busy load stays within tens of megabytes."""
WINDOWS = 2000
"""Of one measurement at most; points that lie decades apart are no run, and are still read."""


@dataclass(slots=True)
class PointReader:
    """Reads the points of one run, measurement by measurement, each series in the order of time."""

    client: DatabaseClient
    run: str
    points: int = 0
    """That were read."""
    left_out: int = 0
    """Values of fields that this version does not know, or knows as another type."""
    _fields: dict[str, Counter[str]] = field(default_factory=dict)

    def read(self) -> Iterator[Point]:
        for name, measurement in MEASUREMENTS.items():
            span = self._span(name)
            if span is not None:
                yield from self._read(name, measurement, *span)

    @property
    def counted(self) -> int:
        """As `count_points` counts in the database."""
        return sum(max(counts.values(), default=0) for counts in self._fields.values())

    def _span(self, measurement: str) -> tuple[int, int] | None:
        """The times of its first and its last point, in nanoseconds; None: it has none."""
        ends = []
        for order in ("ASC", "DESC"):
            asked = (
                f'SELECT * FROM {quoted(measurement)} WHERE "run" = {text(self.run)} ORDER BY time {order} LIMIT 1'
            )
            ends += [int(row["time"]) for series in self.client.query(asked) for row in series.rows]
        return (min(ends), max(ends)) if ends else None

    def _read(self, name: str, measurement: Measurement, first_ns: int, last_ns: int) -> Iterator[Point]:
        window_ns = max(WINDOW_NS, (last_ns - first_ns) // WINDOWS + 1)
        for from_ns in range(first_ns, last_ns + 1, window_ns):
            asked = (
                f'SELECT * FROM {quoted(name)} WHERE "run" = {text(self.run)} '
                f"AND time >= {from_ns} AND time < {from_ns + window_ns} GROUP BY *"
            )
            for series in self.client.query(asked):
                tags = {tag: value for tag, value in series.tags.items() if value}
                for row in series.rows:
                    point = self._point(name, measurement, tags, row)
                    if point.fields:
                        self.points += 1
                        yield point

    def _point(self, name: str, measurement: Measurement, tags: Mapping[str, str], row: Mapping[str, Any]) -> Point:
        counts = self._fields.setdefault(name, Counter())
        fields: dict[str, FieldValue] = {}
        for key, stored in row.items():
            if key == "time" or stored is None:
                continue
            counts[key] += 1
            value = _typed(measurement.fields.get(key, int if measurement.source_fields else None), stored)
            if value is None:
                self.left_out += 1
            else:
                fields[key] = value
        return Point(name, tags, fields, int(row["time"]))


def _typed(kind: type | None, stored: object) -> FieldValue | None:
    """A float without decimals comes as a whole number. None: it is of another type than a run writes."""
    if kind is float and isinstance(stored, int | float) and not isinstance(stored, bool):
        return float(stored)
    if kind is int and isinstance(stored, int) and not isinstance(stored, bool):
        return stored if INT64_MIN <= stored <= INT64_MAX else None
    if kind is bool and isinstance(stored, bool):
        return stored
    return stored if kind is str and isinstance(stored, str) else None
