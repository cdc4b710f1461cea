"""The journal: every point of a run, in a file of line protocol that is complete up to the last line written.

It is the truth of the run; what follows it (InfluxDB, a report) can be late, be down, or be started again.
"""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from switchover.rundir.appended_file import AppendedFile, Appender
from switchover.rundir.damaged_lines import Ignored, read_lines
from switchover.rundir.kept_points import keep, tag_set
from switchover.rundir.measurements import EVENT
from switchover.rundir.points import FieldValue, Point, format_point, parse_point
from switchover.rundir.seal import Damage, Seal, find_damage, read_pieces


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


@dataclass(frozen=True, slots=True)
class JournalRecord:
    """What one journal holds: its points in the order of the file, up to the first damage."""

    name: str
    points: Sequence[Point]
    is_sealed: bool
    damage: Damage | None = None
    """Where it is not as it was when it was closed; in a stretch without a seal, its first line that is no point."""

    def has_event(self, kind: str) -> bool:
        return any(point.measurement == EVENT and point.tags.get("kind") == kind for point in self.points)

    def count(self, measurement: str) -> int:
        """The requests that its points of this measurement stand for."""
        counts = [point.fields.get("count") for point in latest(self.points) if point.measurement == measurement]
        return sum(count for count in counts if isinstance(count, int))


def read_record(path: Path, seals: Sequence[Seal], ignored: Ignored) -> JournalRecord:
    """A journal that may have been cut, or damaged. Others may have written behind its seals: a heal by hand, say."""
    damage = find_damage(path.name, read_pieces(path), seals, may_grow=True) if seals else None
    whole_to = damage.from_byte if damage else None
    sealed_to = max((seal.from_byte + seal.nbytes for seal in seals), default=0)
    points: list[Point] = []
    at = 0
    for line in read_lines(path, ignored):
        begin, at = at, at + len(line) + 1
        if whole_to is not None and at > whole_to:
            break
        point = _read_point(line, ignored)
        if point is not None:
            points.append(point)
        elif damage is None and at > sealed_to:
            damage, whole_to = Damage(path.name, begin, at), begin
    return JournalRecord(path.name, points, bool(seals), damage)


def _read_point(line: bytes, ignored: Ignored) -> Point | None:
    try:
        return keep(parse_point(line.rstrip(b"\r").decode("utf-8")))
    except ValueError:
        ignored.add("not a point")
        return None


def latest(points: Iterable[Point]) -> list[Point]:
    """In order of time. Of points with the same measurement, tags and time the last one wins, as in the database: a
    bucket of traffic is written again, with its new total, when samples come late."""
    found = {(point.measurement, tag_set(tuple(point.tags.items())), point.time_ns): point for point in points}
    return sorted(found.values(), key=lambda point: point.time_ns)


def read_journal(paths: Iterable[Path], ignored: Ignored | None = None) -> Iterator[Point]:
    """The points of all the files in order of time, as they are."""
    left_out = Ignored() if ignored is None else ignored
    points = (_read_point(line, left_out) for path in paths for line in read_lines(path, left_out))
    yield from latest(point for point in points if point is not None)
