"""What is known of one run: its traffic, and what other processes wrote into its directory."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from switchover.analysis.distribution import weights_of
from switchover.analysis.nodes import balancers_of
from switchover.locust.page.address_holders import AddressHolders
from switchover.locust.page.counters import Counters
from switchover.locust.page.events import EventHistory
from switchover.locust.page.timeline import Timeline
from switchover.model.errors import RunDirectoryError
from switchover.rundir import measurements
from switchover.rundir.journal_tail import JournalTail
from switchover.rundir.points import Point, parse_point
from switchover.rundir.run_directory import LOCUST_JOURNAL, RUN_FILE, Run, read_run
from switchover.rundir.run_records import RunSettings

AHEAD_S = 60
"""A second that lies further in the future is a clock that is wrong, and would push everything else out."""


class RunObserver:
    """Reads lines and files of the run. Nothing raises: what cannot be read is passed over."""

    def __init__(self, directory: Path) -> None:
        self.timeline = Timeline()
        self.counters = Counters()
        self.holders = AddressHolders()
        self.history = EventHistory()
        self.run: Run | None = None
        """As run.json describes it by now."""
        self._directory = directory
        # It holds the same traffic that `read_traffic` is given.
        self._tail = JournalTail(directory, without=frozenset({LOCUST_JOURNAL}))
        self._run_stamp: tuple[int, int] | None = None

    @property
    def balancers(self) -> list[str]:
        return balancers_of(self.run) if self.run else []

    @property
    def weights(self) -> Mapping[str, float]:
        """By backend: as the settings say, or HAProxy."""
        try:
            named = weights_of(self.run, ()) if self.run else {}
        except (TypeError, ValueError):
            named = {}
        return named or self.counters.weights()

    def advance(self, limit: int, now_s: int) -> bool:
        """Read what was appended to the journals; true if there is more to read."""
        lines, more = self._tail.read(limit)
        for line in lines:
            self._read_line(line.decode("utf-8", "replace").rstrip("\r"), now_s)
        self._read_description()
        return more

    def read_traffic(self, line: str, now_s: int) -> None:
        self.timeline.read(line, now_s + AHEAD_S)

    def _read_line(self, line: str, now_s: int) -> None:
        if line.startswith(measurements.HAPROXY + ","):
            self.counters.read_haproxy(line)
        elif line.startswith(measurements.PROBES):
            self.read_traffic(line, now_s)
        elif line.startswith((measurements.EVENT, measurements.VRRP, measurements.NGINX, measurements.SCRAPE)):
            try:
                point = parse_point(line)
            except ValueError:
                return
            self._read_point(point)

    def _read_point(self, point: Point) -> None:
        match point.measurement:
            case measurements.EVENT:
                self.history.read(point)
            case measurements.VRRP:
                self.holders.read(point)
            case measurements.NGINX:
                self.counters.read_nginx(point)
            case measurements.SCRAPE:
                self.counters.read_scrape(point)

    def _read_description(self) -> None:
        """run.json is replaced whole, and only when something has happened."""
        try:
            found = (self._directory / RUN_FILE).stat()
            stamp = (found.st_ino, found.st_mtime_ns)
            if stamp != self._run_stamp:
                self._run_stamp = stamp
                self.run = read_run(self._directory)
        except (OSError, RunDirectoryError):
            return


def description(directory: Path, run: Run | None) -> dict[str, Any]:
    """What a page says about the run: its name, its target, its fault and its settings."""
    fault = run.fault if run else None
    settings = run.settings if run else RunSettings()
    return {
        "id": run.id if run else directory.name,
        "directory": str(directory),
        "target": run.target.url if run else None,
        "lab": run.target.lab if run else None,
        "fault": fault.name if fault and fault.kind != "none" else None,
        "victim": fault.victim if fault else None,
        "predict_low_ms": fault.predict_low_ms if fault else None,
        "predict_high_ms": fault.predict_high_ms if fault else None,
        "error": fault.error if fault else None,
        **{name: getattr(settings, name) for name in ("probe_rate", "late_ms", "algorithm")},
    }
