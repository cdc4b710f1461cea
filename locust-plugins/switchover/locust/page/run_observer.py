"""What is known of one run: its traffic, and what other processes wrote into its directory."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from switchover.evidence.nodes import balancers_of
from switchover.evidence.ownership import Ownership, ownership_of
from switchover.figures.distribution import weights_of
from switchover.figures.split_brain import measure_split_brain, total_ms
from switchover.locust.page.counters import Counters
from switchover.locust.page.timeline import Timeline
from switchover.model.errors import RunDirectoryError
from switchover.rundir import measurements
from switchover.rundir.journal_tail import JournalTail
from switchover.rundir.points import Point, parse_point
from switchover.rundir.run_directory import LOCUST_JOURNAL, RUN_FILE, Run, read_run
from switchover.rundir.run_records import RunSettings

EVENTS_LIMIT = 200
"""The newest events that are kept; the journal has them all."""
TEXT_LIMIT = 300


@dataclass(frozen=True, slots=True)
class Moments:
    """When what was done, in microseconds; None: not yet."""

    start_us: int | None = None
    fired_us: int | None = None
    heal_us: int | None = None
    end_us: int | None = None

    def phase_at(self, at_us: int) -> str:
        """The phase to which a moment belongs; what is healed at the end has no failback to see."""
        if self.fired_us is None or at_us < self.fired_us:
            return "baseline"
        is_over = self.heal_us is None or (self.end_us is not None and self.heal_us >= self.end_us)
        return "switchover" if is_over or at_us < (self.heal_us or 0) else "failback"


@dataclass(frozen=True, slots=True)
class JournalEvent:
    at_us: int
    kind: str
    node: str
    text: str


class EventHistory:
    """Reads `switchover_event` points. Of each kind the first one is kept, also when many follow."""

    def __init__(self) -> None:
        self._events: deque[JournalEvent] = deque(maxlen=EVENTS_LIMIT)
        self._first: dict[str, JournalEvent] = {}

    def read(self, point: Point) -> None:
        tags = point.tags
        text = str(point.fields.get("text", ""))[:TEXT_LIMIT]
        event = JournalEvent(point.time_ns // 1000, tags.get("kind", ""), tags.get("node", ""), text)
        self._events.append(event)
        if len(self._first) < EVENTS_LIMIT:
            self._first.setdefault(event.kind, event)

    def first_us(self, kind: str) -> int | None:
        event = self._first.get(kind)
        return event.at_us if event else None

    def listed(self) -> list[JournalEvent]:
        """In order of time."""
        return sorted(self._events, key=lambda event: event.at_us)


POINTS_LIMIT = 2000
"""VRRP points that are kept; an address that flaps for hours shows its newest moves."""
STRETCHES_LIMIT = 200
"""Stretches of ownership that the page gets for a node."""


class AddressHolders:
    """Reads `switchover_vrrp` points; computes anew only when one has come."""

    def __init__(self) -> None:
        self._points: deque[Point] = deque(maxlen=POINTS_LIMIT)
        self.is_partial = False
        """Older points are forgotten: a total of split brain is then a lower bound."""
        self._ownership: Ownership | None = None

    def read(self, point: Point) -> None:
        self.is_partial |= len(self._points) == POINTS_LIMIT
        self._points.append(point)
        self._ownership = None

    @property
    def ownership(self) -> Ownership:
        if self._ownership is None:
            self._ownership = ownership_of(self._points)
        return self._ownership

    def now(self) -> list[str]:
        """The nodes that hold it, by the sources."""
        return sorted(node for node in self.ownership.nodes if self.ownership.holds_at(node, 1 << 62))

    def split_brain(self, balancers: Sequence[str], since_us: int, until_us: int) -> dict[str, Any] | None:
        """As the analysis measures it; the bound of the clocks is known only at the end."""
        if self.is_partial:
            known_from = {point.tags.get("node", ""): point.time_ns // 1000 for point in reversed(self._points)}
            since_us = max(since_us, *known_from.values())
        found = measure_split_brain(self.ownership, balancers, since_us, until_us)
        if found is None:
            return None
        stretches = [[overlap.from_us, overlap.to_us] for overlap in found.overlaps[-STRETCHES_LIMIT:]]
        return {"total_ms": total_ms(found), "at_least": self.is_partial, "stretches": stretches}

    def nodes(self, balancers: Sequence[str], until_us: int) -> list[dict[str, Any]]:
        """Each balancer with the stretches, in microseconds, for which it held the address."""
        named = [*balancers, *sorted(self.ownership.nodes - set(balancers))]
        return [
            {
                "node": node,
                "observed": node in self.ownership.nodes,
                "holds": [
                    [span.from_us, span.to_us] for span in self.ownership.held_by(node, until_us)[-STRETCHES_LIMIT:]
                ],
            }
            for node in named
        ]


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
