"""What the master knows of one worker in one run: the traffic that it sent, and what it says it recorded."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from switchover.locust.workers.message_check import AHEAD_LIMIT, check_end, check_line
from switchover.locust.workers.run_description import part_name
from switchover.rundir.measurements import REQUESTS
from switchover.rundir.points import Point, parse_point

KEEP_NS = 300 * 1_000_000_000
"""How long a second's total may change; well above the time for which the recorder keeps a bucket open."""

START, LATE = "start", "late"
STOPPED, LOST = "stopped", "lost"


class PointCount:
    """How many requests the points of a worker stand for. A point that comes again replaces the one before."""

    def __init__(self) -> None:
        self._counts: dict[int, dict[str, int]] = {}
        self._settled = 0
        self._newest_ns = 0

    @property
    def total(self) -> int:
        return self._settled + sum(count for second in self._counts.values() for count in second.values())

    def add(self, line: str) -> None:
        """Count a line; one that is no point of traffic counts nothing."""
        if not line.startswith(REQUESTS):
            return
        try:
            self.add_point(parse_point(line))
        except ValueError:
            return

    def add_point(self, point: Point) -> None:
        """Count a point; one that is no traffic counts nothing."""
        if point.measurement != REQUESTS:
            return
        count = point.fields.get("count")
        if isinstance(count, int):
            series = repr(sorted(point.tags.items()))
            self._counts.setdefault(point.time_ns, {})[series] = count
        if point.time_ns > self._newest_ns:
            self._newest_ns = point.time_ns
            self._settle()

    def _settle(self) -> None:
        """Keep only the sum of seconds that can no longer change."""
        for time_ns in [time_ns for time_ns in self._counts if time_ns < self._newest_ns - KEEP_NS]:
            self._settled += sum(self._counts.pop(time_ns).values())


@dataclass(slots=True)
class WorkerState:
    """One worker in one run; `client` is Locust's name of it."""

    run: str
    worker: str
    client: str
    joined: str
    heard_s: float
    """When its last message came, on the monotonic clock."""
    points: PointCount = field(default_factory=PointCount)
    end: Mapping[str, Any] | None = None
    """Its last message: its part, its totals, its clock."""
    ended_s: float | None = None
    """When that came, on the monotonic clock."""
    silent: bool = False
    """A warning says that it is silent."""
    refused: int = 0
    """Lines that are not of its traffic, and were dropped."""
    _received_up_to: int = 0
    _early: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    """Messages that overtook one that was sent earlier."""

    @property
    def received_up_to(self) -> int:
        """The number up to which every message is here."""
        return self._received_up_to

    def receive(self, message: Mapping[str, Any]) -> list[str]:
        """The lines that are new with this message, in the order in which they were sent."""
        number = int(message["number"])
        if 0 < number - self._received_up_to <= AHEAD_LIMIT:
            self._early[number] = message
        lines: list[str] = []
        while self._received_up_to + 1 in self._early:
            self._received_up_to += 1
            known = self._early.pop(self._received_up_to)
            for line in known["lines"]:
                point = check_line(line, self.run, self.worker)
                if point is None:
                    self.refused += 1
                    continue
                self.points.add_point(point)
                lines.append(line)
            self.end = check_end(known["end"]) or self.end
        return lines

    def facts(self) -> dict[str, Any]:
        """As `LoadFacts.workers` has it; None where only the worker knows and has not said."""
        end = self.end or {}
        return {
            "worker": self.worker,
            "host": self.host,
            "part": self.part,
            "here": end.get("here"),
            "samples": end.get("samples"),
            "points": self.points.total,
            "lost": end.get("lost"),
            "resends": end.get("resends"),
            "reconnects": end.get("reconnects"),
            "abandoned": end.get("abandoned"),
            "joined": self.joined,
            "ended": STOPPED if self.end is not None else LOST,
            "offset_us": end.get("offset_us"),
            "bound_us": end.get("bound_us"),
        }

    def facts_so_far(self) -> dict[str, Any]:
        """The same while the run is on: a worker that has not ended is not lost, and its points count as recorded."""
        if self.end is not None:
            return self.facts()
        return self.facts() | {"samples": self.points.total, "ended": LOST if self.silent else None}

    @property
    def host(self) -> str:
        """The first part of the name that Locust gives a worker."""
        return self.client.rpartition("_")[0]

    @property
    def part(self) -> str | None:
        """The file with its rows; None if it never recorded anything."""
        return part_name(self.worker) if self._received_up_to or self._early else None

    def warnings(self) -> list[str]:
        """What does not add up, one line each, with the worker's name."""
        if self.part is None:
            return [f"{self.worker} recorded nothing: does its locustfile import switchover.locust?"]
        if self.end is None:
            return [
                f"{self.worker} went away without a word: {self.points.total:,} of its requests are known, "
                "and how many it made is unknown"
            ]
        found = [f"{self.worker}: {text}" for text in self.end["warnings"]]
        if self.refused:
            found.append(f"{self.worker} sent {self.refused:,} lines that are not of its traffic: they were dropped")
        samples = self.end.get("samples")
        if samples != self.points.total:
            found.append(f"{self.worker} recorded {samples} requests, but {self.points.total} are in its traffic")
        if not self.end.get("here"):
            where = f"{self.host}:{self.end.get('path')}"
            found.append(f"the sample log of {self.worker} is {where}: bring it here, and 'switchover report' it too")
        return found
