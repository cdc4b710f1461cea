"""The master's account of one worker in one run: what it was told, against what the worker says it recorded."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from switchover.locust.workers.run_description import part_name
from switchover.rundir.measurements import REQUESTS
from switchover.rundir.points import parse_point

KEEP_NS = 300 * 1_000_000_000
"""How long a second may be told again, with a new total; well above what the recorder keeps a bucket for."""

START, LATE = "start", "late"
STOPPED, LOST = "stopped", "lost"


class PointCount:
    """How many requests the points of a worker stand for. A point that is told again replaces the one before."""

    def __init__(self) -> None:
        self._counts: dict[int, dict[str, int]] = {}
        self._settled = 0
        self._newest_ns = 0

    @property
    def total(self) -> int:
        return self._settled + sum(count for second in self._counts.values() for count in second.values())

    def add(self, line: str) -> None:
        """Take a line; one that is no point of traffic counts nothing."""
        if not line.startswith(REQUESTS):
            return
        try:
            point = parse_point(line)
        except ValueError:
            return
        count = point.fields.get("count")
        if isinstance(count, int):
            series = repr(sorted(point.tags.items()))
            self._counts.setdefault(point.time_ns, {})[series] = count
        if point.time_ns > self._newest_ns:
            self._newest_ns = point.time_ns
            self._settle()

    def _settle(self) -> None:
        """A second that nobody will tell again needs no more than its sum."""
        for time_ns in [time_ns for time_ns in self._counts if time_ns < self._newest_ns - KEEP_NS]:
            self._settled += sum(self._counts.pop(time_ns).values())


@dataclass(slots=True)
class WorkerAccount:
    """Of one worker; `client` is Locust's name of it."""

    worker: str
    client: str
    joined: str
    heard_s: float
    """When it last said anything, on the monotonic clock."""
    points: PointCount = field(default_factory=PointCount)
    end: Mapping[str, Any] | None = None
    """Its last word: its part, its totals, its clock."""
    ended_s: float | None = None
    """When it said so, on the monotonic clock."""
    silent: bool = False
    """It was said that nothing is heard of it."""
    _taken: int = 0
    _early: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    """Messages that came before one that was sent earlier."""

    @property
    def taken(self) -> int:
        """The number up to which every message is here."""
        return self._taken

    def take(self, message: Mapping[str, Any]) -> list[str]:
        """The lines that are new with this message, in the order in which they were told."""
        number = int(message["number"])
        if number > self._taken:
            self._early[number] = message
        lines: list[str] = []
        while self._taken + 1 in self._early:
            self._taken += 1
            known = self._early.pop(self._taken)
            lines += [str(line) for line in known["lines"]]
            self.end = known["end"] or self.end
        for line in lines:
            self.points.add(line)
        return lines

    def facts(self) -> dict[str, Any]:
        """As `LoadFacts.workers` has it; what only the worker could have told is None."""
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
        """The same while the run is on: who has not ended yet is not lost, and its points are what it recorded."""
        if self.end is not None:
            return self.facts()
        return self.facts() | {"samples": self.points.total, "ended": LOST if self.silent else None}

    @property
    def host(self) -> str:
        """Locust begins the name of a worker with that of its host."""
        return self.client.rpartition("_")[0]

    @property
    def part(self) -> str | None:
        """The file with its rows; None if it never recorded anything."""
        return part_name(self.worker) if self._taken or self._early else None

    def warnings(self) -> list[str]:
        """What does not add up, one line each, naming the worker."""
        if self.part is None:
            return [f"{self.worker} recorded nothing: does its locustfile import switchover.locust?"]
        if self.end is None:
            return [
                f"{self.worker} went away without a word: {self.points.total:,} of its requests are known, "
                "and nobody knows how many it made"
            ]
        found = [f"{self.worker}: {text}" for text in self.end.get("warnings", [])]
        samples = self.end.get("samples")
        if samples != self.points.total:
            found.append(f"{self.worker} recorded {samples} requests, but told of {self.points.total}")
        if not self.end.get("here"):
            where = f"{self.host}:{self.end.get('path')}"
            found.append(f"the sample log of {self.worker} is {where}: bring it here, and 'switchover report' it too")
        return found
