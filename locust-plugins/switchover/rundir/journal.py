"""The journal: a file with all points of a run in line protocol, the primary record of the run."""

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from switchover.rundir.appended_file import Appender
from switchover.rundir.damaged_lines import Ignored, read_lines
from switchover.rundir.measurements import EVENT
from switchover.rundir.points import FieldValue, Point, format_point, parse_point
from switchover.rundir.seal import CHANGED, Seal, is_as_sealed


class Journal(Appender):
    """Appends points, with one write per line. Thread-safe. Every point has the `tags` (run, worker). A full disk
    raises no exception: `lost` counts the lost lines, and `warning` has the reason."""

    def __init__(self, path: Path, tags: Mapping[str, str]) -> None:
        self._tags = dict(tags)
        super().__init__(path)
        self._lock = threading.Lock()

    def write(
        self, measurement: str, tags: Mapping[str, str], fields: Mapping[str, FieldValue], time_ns: int
    ) -> None:
        """Write one point, or nothing if none of its fields can be written."""
        line = format_point(measurement, {**self._tags, **tags}, fields, time_ns)
        if line:
            self.write_line(line)

    def write_line(self, line: str) -> None:
        """Write a line that `format_point` returned; the line already has all tags."""
        data = line.encode("utf-8", "replace") + b"\n"
        with self._lock:
            self.append((data,))

    def event(self, kind: str, text: str, *, time_ns: int, node: str = "", id: str = "") -> None:  # noqa: A002
        self.write(EVENT, {"kind": kind, "node": node, "id": id}, {"text": text}, time_ns)

    def close(self) -> None:
        with self._lock:
            super().close()


@dataclass(frozen=True, slots=True)
class JournalRecord:
    """The points of one journal, in the order of the file. The record of a damaged journal has no points."""

    name: str
    points: Sequence[Point]
    is_sealed: bool
    damage: str = ""
    """Empty: the journal is not damaged."""

    def has_event(self, kind: str) -> bool:
        return any(point.measurement == EVENT and point.tags.get("kind") == kind for point in self.points)


def read_record(path: Path, seals: Sequence[Seal], ignored: Ignored) -> JournalRecord:
    """Read a journal that may be damaged. Lines after the sealed part may come from another writer."""
    if seals and not is_as_sealed(path, seals, may_grow=True):
        return JournalRecord(path.name, (), True, CHANGED)
    before = ignored.total
    parsed = [_read_point(line, ignored) for line in read_lines(path, ignored)]
    points = [point for point in parsed if point is not None]
    damage = "has a line that is not a complete point" if ignored.total > before else ""
    return JournalRecord(path.name, () if damage else points, bool(seals), damage)


def _read_point(line: bytes, ignored: Ignored) -> Point | None:
    try:
        return parse_point(line.rstrip(b"\r").decode("utf-8"))
    except ValueError:
        ignored.add("not a point")
        return None


def latest(points: Iterable[Point]) -> list[Point]:
    """Return the points in the order of time. A point replaces an earlier point of the same series and time."""
    latest_by_key = {(point.measurement, frozenset(point.tags.items()), point.time_ns): point for point in points}
    return sorted(latest_by_key.values(), key=lambda point: point.time_ns)
