"""What the master knows of one worker in one run: the traffic that it sent, and what it says it recorded."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from switchover.locust.recording.run_description import part_name
from switchover.rundir.latest_totals import LatestTotals
from switchover.rundir.measurements import MEASUREMENTS, REQUESTS, USERS
from switchover.rundir.points import Point, format_point, parse_point
from switchover.rundir.seal import Seals, read_seals

LINE_LIMIT = 64 * 1024
"""Characters of a line; a histogram of an hour's spread has some thousand."""
AHEAD_LIMIT = 10_000
"""How far a message may be ahead of the first missing one; an outbox has 50 under way."""
TEXT_LIMIT = 1000
"""Characters of a text in the last message."""
LIST_LIMIT = 50
"""Entries of a list in the last message."""
COUNTS = ("samples", "lost", "abandoned", "bound_us")


def check_line(line: object, run: str, worker: str) -> Point | None:
    """The point of a line; None if it is none, or not of this worker's traffic in this run.

    Any process that reaches Locust's port can send messages, and a line goes into the journal, and from there into a
    database: it must be one point of this worker's own traffic.
    """
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
        "seals": _seals(end.get("seals")),
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


def _seals(value: object) -> list[dict[str, Any]]:
    """Those of its sample log; none where a value is of another kind."""
    try:
        return [seal.facts() for seal in read_seals(value)]
    except ValueError:
        return []


def _entries(value: object) -> list[Any]:
    return list(value[:LIST_LIMIT]) if isinstance(value, list | tuple) else []


def _text(value: object) -> str:
    return "".join(filter(str.isprintable, value[:TEXT_LIMIT])) if isinstance(value, str) else ""


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 62 else None


def _count(value: object) -> int | None:
    number = _number(value)
    return number if number is not None and number >= 0 else None


START, LATE = "start", "late"
STOPPED, LOST = "stopped", "lost"


@dataclass(slots=True)
class WorkerState:
    """One worker in one run; `client` is Locust's name of it."""

    run: str
    worker: str
    client: str
    joined: str
    heard_s: float
    """When its last message came, on the monotonic clock."""
    points: int = 0
    """Requests in the traffic that it sent."""
    end: Mapping[str, Any] | None = None
    """Its last message: its part, its totals, its clock."""
    ended_s: float | None = None
    """When that came, on the monotonic clock."""
    silent: bool = False
    """A warning says that it is silent."""
    refused: int = 0
    """Lines that are not of its traffic, and were dropped."""
    received_up_to: int = 0
    """The number up to which every message is here."""
    _early: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    """Messages that overtook one that was sent earlier."""
    _totals: LatestTotals[int] = field(default_factory=lambda: LatestTotals(0))

    def receive(self, message: Mapping[str, Any]) -> list[str]:
        """The lines that are new with this message, in the order in which they were sent."""
        number = int(message["number"])
        if 0 < number - self.received_up_to <= AHEAD_LIMIT:
            self._early[number] = message
        lines: list[str] = []
        while self.received_up_to + 1 in self._early:
            self.received_up_to += 1
            known = self._early.pop(self.received_up_to)
            for line in known["lines"]:
                point = check_line(line, self.run, self.worker)
                if point is None:
                    self.refused += 1
                    continue
                self._count(point)
                lines.append(line)
            self.end = check_end(known["end"]) or self.end
        return lines

    def _count(self, point: Point) -> None:
        count = point.fields.get("count")
        if point.measurement == REQUESTS and isinstance(count, int):
            series = repr(sorted(point.tags.items()))
            self.points += count - self._totals.replace(point.time_ns, series, count)

    def facts(self) -> dict[str, Any]:
        """As `LoadFacts.workers` has it; None where only the worker knows and has not said."""
        end = self.end or {}
        return {
            "worker": self.worker,
            "host": self.host,
            "part": self.part,
            "points": self.points,
            "joined": self.joined,
            "ended": STOPPED if self.end is not None else LOST,
            **{name: end.get(name) for name in ("here", "samples", "lost", "abandoned", "offset_us", "bound_us")},
        }

    def facts_so_far(self) -> dict[str, Any]:
        """The same while the run is on: a worker that has not ended is not lost, and its points count as recorded."""
        if self.end is not None:
            return self.facts()
        return self.facts() | {"samples": self.points, "ended": LOST if self.silent else None}

    @property
    def host(self) -> str:
        """The first part of the name that Locust gives a worker."""
        return self.client.rpartition("_")[0]

    @property
    def part(self) -> str | None:
        """The file with its rows; None if it never recorded anything."""
        return part_name(self.worker) if self.received_up_to or self._early else None

    @property
    def seals(self) -> Seals:
        """Of its part; empty until its last message has come."""
        stretches = (self.end or {}).get("seals")
        return {self.part: stretches} if self.part is not None and stretches else {}

    def warnings(self) -> list[str]:
        """What does not add up, one line each, with the worker's name."""
        if self.part is None:
            return [f"{self.worker} recorded nothing: does its locustfile import switchover.locust?"]
        if self.end is None:
            return [
                f"{self.worker} went away without a word: {self.points:,} requests are in the traffic that it "
                "sent, its sample log may have more, and how many it made is unknown"
            ]
        found = [f"{self.worker}: {text}" for text in self.end["warnings"]]
        if self.refused:
            found.append(f"{self.worker} sent {self.refused:,} lines that are not of its traffic: they were dropped")
        samples = self.end.get("samples")
        if samples != self.points:
            found.append(f"{self.worker} recorded {samples} requests, but {self.points} are in its traffic")
        if not self.end.get("here"):
            where = f"{self.host}:{self.end.get('path')}"
            found.append(f"the sample log of {self.worker} is {where}: bring it here, and 'switchover report' it too")
        return found
