"""The points of journals that may still be written."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from switchover.rundir.damaged_lines import Ignored, read_lines
from switchover.rundir.journal import latest
from switchover.rundir.points import Point, parse_point


def read_journal(paths: Iterable[Path]) -> Iterator[Point]:
    """Yield the latest points of all complete lines, in the order of time."""
    yield from latest(parse_point(line.decode()) for path in paths for line in read_lines(path, Ignored()))
