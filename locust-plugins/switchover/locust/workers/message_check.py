"""What the master accepts from a worker: any process that reaches Locust's port can send messages.

A line goes into the journal, and from there into a database: it must be one point of this worker's own traffic.
"""

from collections.abc import Mapping
from typing import Any

from switchover.rundir.measurements import MEASUREMENTS, REQUESTS, USERS
from switchover.rundir.points import Point, format_point, parse_point

LINE_LIMIT = 64 * 1024
"""Characters of a line; a histogram of an hour's spread has some thousand."""
AHEAD_LIMIT = 10_000
"""How far a message may be ahead of the first missing one; an outbox has 50 under way."""
TEXT_LIMIT = 1000
"""Characters of a text in the last message."""
LIST_LIMIT = 50
"""Entries of a list in the last message."""
COUNTS = ("samples", "lost", "resends", "reconnects", "abandoned", "bound_us")


def check_line(line: object, run: str, worker: str) -> Point | None:
    """The point of a line; None if it is none, or not of this worker's traffic in this run."""
    if not isinstance(line, str) or len(line) > LINE_LIMIT:
        return None
    try:
        point = parse_point(line)
    except ValueError:
        return None
    tags, allowed = point.tags, MEASUREMENTS.get(point.measurement)
    if allowed is None or point.measurement not in (REQUESTS, USERS):
        return None
    own = tags.get("run") == run and tags.get("worker") == worker
    if (
        not own
        or not tags.keys() <= {*allowed.tags, "run", "worker"}
        or not point.fields.keys() <= allowed.fields.keys()
    ):
        return None
    # Written anew it must be the same: no tag twice, no line end within a name.
    return point if format_point(point.measurement, tags, point.fields, point.time_ns) == line else None


def check_end(end: object) -> dict[str, Any] | None:
    """The last message with values of the right kind only; None if it is not the last one."""
    if not isinstance(end, Mapping):
        return None
    return {
        "path": _text(end.get("path")),
        "here": end.get("here") is True,
        **{name: _count(end.get(name)) for name in COUNTS},
        "offset_us": _number(end.get("offset_us")),
        "warnings": [_text(entry) for entry in _entries(end.get("warnings"))],
        "without_timeout": [_text(entry) for entry in _entries(end.get("without_timeout"))],
        "clocks": [
            {
                "when": _text(entry.get("when")),
                "offset_us": _number(entry.get("offset_us")),
                "bound_us": _count(entry.get("bound_us")),
            }
            for entry in _entries(end.get("clocks"))
            if isinstance(entry, Mapping)
        ],
    }


def _entries(value: object) -> list[Any]:
    return list(value[:LIST_LIMIT]) if isinstance(value, list | tuple) else []


def _text(value: object) -> str:
    return "".join(filter(str.isprintable, value[:TEXT_LIMIT])) if isinstance(value, str) else ""


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 62 else None


def _count(value: object) -> int | None:
    number = _number(value)
    return number if number is not None and number >= 0 else None
