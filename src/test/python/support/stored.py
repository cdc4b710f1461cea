"""A database of nothing but points, that answers what a run is fetched by; no server, no network."""

import re
from collections.abc import Sequence

from switchover.model.errors import DatabaseError
from switchover.rundir.points import Point
from switchover.streaming.influx.database_client import StoredSeries

_FROM = re.compile(r'FROM "(\w+)"')
_WINDOW = re.compile(r"time >= (\d+) AND time < (\d+)")


class StoredPoints:
    """What `DatabaseClient` is to the code that fetches. It breaks off after `answers` of them, if that is given."""

    name, url = "drills", "http://influx:8086?db=drills"

    def __init__(self, points: Sequence[Point], answers: int | None = None) -> None:
        self.points = list(points)
        self._left = answers

    def query(self, influxql: str) -> list[StoredSeries]:
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                raise DatabaseError(f"{self.url}: asking it: Connection refused")
        named = _FROM.search(influxql)
        if named is None:
            return self._counts()
        found = [point for point in self.points if point.measurement == named[1]]
        if window := _WINDOW.search(influxql):
            from_ns, to_ns = map(int, window.groups())
            return [_series(point) for point in found if from_ns <= point.time_ns < to_ns]
        end = max if "DESC" in influxql else min
        return [_series(end(found, key=lambda point: point.time_ns))] if found else []

    def _counts(self) -> list[StoredSeries]:
        counts: dict[str, dict[str, int]] = {}
        for point in self.points:
            fields = counts.setdefault(point.measurement, {})
            for name in point.fields:
                fields[name] = fields.get(name, 0) + 1
        return [StoredSeries(name, {}, [{"time": 0, **fields}]) for name, fields in counts.items()]


def _series(point: Point) -> StoredSeries:
    """As a database answers: columns that the point has not are null, tags empty."""
    return StoredSeries(
        point.measurement, {**point.tags, "worker": ""}, [{"time": point.time_ns, "unknown": None, **point.fields}]
    )
