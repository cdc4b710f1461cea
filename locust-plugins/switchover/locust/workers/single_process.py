"""The single process of a run that has no workers: it records by itself, and is the crew's equal to those who ask."""

import socket
from pathlib import Path
from typing import Any

from locust.env import Environment

from switchover.locust.recording.process_recording import Part, Tell
from switchover.locust.workers.account import START, STOPPED, PointCount
from switchover.locust.workers.run_description import RunDescription
from switchover.model.clock import Clock


class Solo:
    """`tell` gets the lines as they come."""

    def __init__(
        self, environment: Environment, directory: Path, run: RunDescription, clock: Clock, tell: Tell
    ) -> None:
        self._tell = tell
        self._points = PointCount()
        self._part = Part(environment, directory, "", run, clock, self._told)

    def _told(self, lines: list[str]) -> None:
        for line in lines:
            self._points.add(line)
        self._tell(lines)

    def look(self) -> None:
        """Nobody can get lost."""

    def end(self) -> None:
        self._part.end()

    def save(self) -> None:
        self._part.save()

    def facts(self) -> list[dict[str, Any]]:
        totals = self._part.totals
        return [
            {
                "worker": "",
                "host": socket.gethostname(),
                "part": self._part.path.name,
                "here": True,
                "samples": totals.samples,
                "points": self._points.total,
                "lost": totals.lost,
                "resends": totals.resends,
                "reconnects": self._part.reconnects,
                "abandoned": self._part.abandoned,
                "joined": START,
                "ended": STOPPED,
                "offset_us": 0,
                "bound_us": 0,
            }
        ]

    def facts_so_far(self) -> list[dict[str, Any]]:
        return [facts | {"ended": None} for facts in self.facts()]

    def clocks(self) -> list[dict[str, Any]]:
        """There is only one clock."""
        return []

    def parts(self) -> list[str]:
        return [self._part.path.name]

    def warnings(self, stopped_s: float) -> list[str]:
        found, samples = list(self._part.warnings), self._part.totals.samples
        if samples != self._points.total:
            found.append(f"{samples} requests were recorded, but {self._points.total} are in the traffic")
        return found
