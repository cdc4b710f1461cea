"""The journal: every point of a run, in a file of line protocol that is complete up to the last line written.

It is the truth of the run; what follows it (InfluxDB, a report) can be late, be down, or be started again.
"""

import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from switchover.rundir.appended_file import AppendedFile, Appender
from switchover.rundir.damaged_lines import Ignored, read_lines
from switchover.rundir.measurements import EVENT
from switchover.rundir.points import FieldValue, Point, format_point, parse_point


class Journal(AppendedFile):
    """Appends points, one write per line; thread-safe. `tags` (run, worker) are on every point.

    A full disk never raises: `lost` counts the lines and `warning` says why; it resumes when there is room.
    """

    def __init__(self, path: Path, tags: Mapping[str, str]) -> None:
        self._tags = dict(tags)
        super().__init__(Appender(path))
        self._lock = threading.Lock()

    def write(
        self, measurement: str, tags: Mapping[str, str], fields: Mapping[str, FieldValue], time_ns: int
    ) -> None:
        """One point; nothing is written if none of its fields can be."""
        line = format_point(measurement, {**self._tags, **tags}, fields, time_ns)
        if line:
            self.write_line(line)

    def write_line(self, line: str) -> None:
        """A line as `format_point` makes it, with all its tags."""
        data = line.encode("utf-8", "replace") + b"\n"
        with self._lock:
            self._appender.append((data,))

    def event(self, kind: str, text: str, *, time_ns: int, node: str = "", id: str = "") -> None:  # noqa: A002
        self.write(EVENT, {"kind": kind, "node": node, "id": id}, {"text": text}, time_ns)

    def close(self) -> None:
        with self._lock:
            self._appender.close()


def read_journal(paths: Iterable[Path], ignored: Ignored | None = None) -> Iterator[Point]:
    """The points of all the files in order of time.

    Of points with the same measurement, tags and time the last one read wins, as in the database: a bucket of
    traffic is written again, with its new total, when samples come late.
    """
    left_out = Ignored() if ignored is None else ignored
    points: dict[tuple[str, frozenset[tuple[str, str]], int], Point] = {}
    for path in paths:
        for line in read_lines(path, left_out):
            try:
                point = parse_point(line.rstrip(b"\r").decode("utf-8"))
            except ValueError:
                left_out.add("not a point")
                continue
            points[(point.measurement, frozenset(point.tags.items()), point.time_ns)] = point
    yield from sorted(points.values(), key=lambda point: point.time_ns)
