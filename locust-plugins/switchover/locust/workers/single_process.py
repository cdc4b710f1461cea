"""The only process of a run without workers: it records, and reports as the workers' list does."""

import socket
from pathlib import Path
from typing import Any

from locust.env import Environment

from switchover.locust.clients import CLASSES_WITHOUT_TIMEOUT
from switchover.locust.recording.process_recording import ProcessRecording, TakeLines
from switchover.locust.workers.run_description import RunDescription
from switchover.locust.workers.worker_state import START, STOPPED, PointCount
from switchover.model.clock import Clock
from switchover.rundir.seal import Seals


class SingleProcess:
    """Records by itself. `take_lines` gets the lines as they come."""

    def __init__(
        self, environment: Environment, directory: Path, run: RunDescription, clock: Clock, take_lines: TakeLines
    ) -> None:
        self._pass_on = take_lines
        self._points = PointCount()
        self._recording = ProcessRecording(environment, directory, "", run, clock, self._take_lines)

    def _take_lines(self, lines: list[str]) -> None:
        for line in lines:
            self._points.add(line)
        self._pass_on(lines)

    def check(self) -> None:
        """Nothing to check: no worker can get lost."""

    def end(self) -> None:
        self._recording.end()

    def save(self) -> None:
        self._recording.save()

    def facts(self) -> list[dict[str, Any]]:
        totals = self._recording.totals
        return [
            {
                "worker": "",
                "host": socket.gethostname(),
                "part": self._recording.path.name,
                "here": True,
                "samples": totals.samples,
                "points": self._points.total,
                "lost": totals.lost,
                "resends": totals.resends,
                "reconnects": self._recording.reconnects,
                "abandoned": self._recording.abandoned,
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
        return [self._recording.path.name]

    def seals(self) -> Seals:
        return self._recording.seals

    def without_timeout(self) -> set[str]:
        return CLASSES_WITHOUT_TIMEOUT

    def warnings(self, stopped_s: float) -> list[str]:
        found, samples = list(self._recording.warnings), self._recording.totals.samples
        if samples != self._points.total:
            found.append(f"{samples} requests were recorded, but {self._points.total} are in the traffic")
        return found
