"""The state of a run in progress, as read from the run's journals and its run.json."""

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from switchover.evidence.nodes import balancers_of
from switchover.evidence.ownership import Ownership, ownership_of
from switchover.figures.split_brain import measure_split_brain, total_ms
from switchover.model.errors import RunDirectoryError
from switchover.model.outcome import Outcome, read_outcome
from switchover.rundir.journal_tail import JournalTail, LatestTotals
from switchover.rundir.measurements import EVENT, PROBES, REQUESTS, VRRP
from switchover.rundir.points import Point, parse_point
from switchover.rundir.run_directory import LOCUST_JOURNAL, RUN_FILE, Run, read_run

KEEP_S = 3600
"""The maximum number of seconds whose traffic is stored. The totals also include older seconds."""
NAMES_LIMIT = 100
"""The maximum number of backends, and of balancers, that are counted. Further names are not shown."""
OUTCOMES = (Outcome.GOOD, Outcome.FAILED, Outcome.LATE)
KEPT_STREAM = "kept"


class Timeline:
    """The traffic of each second, summed over all workers and labels. If a journal has several totals of the same
    second, the last total counts.

    Every change increases the revision, so that a reader can request the changes since a revision.
    """

    def __init__(self) -> None:
        self.revision = 0
        self.requests = dict.fromkeys(OUTCOMES, 0)
        self.probes = dict.fromkeys(OUTCOMES, 0)
        self._seconds: dict[int, list[int]] = {}
        """For each second: the revision, the requests by outcome, and the probes by outcome."""
        self._totals = LatestTotals(0)
        self._answered: dict[str, Counter[str]] = {tag: Counter() for tag in ("backend", "balancer", "answered_by")}

    def read(self, point: Point, until_s: int) -> None:
        """Add a point with traffic. Points without traffic, and points later than `until_s`, are ignored."""
        at_s, total, is_probe = point.time_ns // 1_000_000_000, point.fields.get("count"), point.measurement == PROBES
        outcome = read_outcome(point.tags.get("outcome", ""))
        if outcome not in OUTCOMES or not isinstance(total, int) or at_s > until_s:
            return
        if point.measurement not in (REQUESTS, PROBES) or (is_probe and point.tags.get("stream") == KEPT_STREAM):
            return
        series = (point.measurement, *sorted(point.tags.items()))
        more = total - self._totals.replace(at_s, series, total)
        if more:
            self._count(at_s, outcome, more, is_probe=is_probe)
            for tag, counter in self._answered.items() if not is_probe else ():
                name = point.tags.get(tag, "")
                if name and (name in counter or len(counter) < NAMES_LIMIT):
                    counter[name] += more

    def seconds(self, since_revision: int = 0) -> Iterator[list[int]]:
        """Yield each second that changed after the revision, in the order of time."""
        for at_s in sorted(self._seconds):
            second = self._seconds[at_s]
            if second[0] > since_revision:
                yield [at_s, *second[1:]]

    def bad_probes(self, from_s: int, to_s: int) -> int:
        """Return the number of failed or late probes in the given seconds. Seconds that are no longer stored count as
        0."""
        return sum(sum(second[5:]) for at_s, second in self._seconds.items() if from_s <= at_s < to_s)

    def shares(self) -> dict[str, Any]:
        return {
            "backends": _shares(self._answered["backend"]),
            "balancers": _shares(self._answered["balancer"]),
            "answered_by": dict(self._answered["answered_by"]),
        }

    def _count(self, at_s: int, outcome: Outcome, number: int, *, is_probe: bool) -> None:
        second = self._seconds.setdefault(at_s, [0] * 7)
        second[OUTCOMES.index(outcome) + (4 if is_probe else 1)] += number
        (self.probes if is_probe else self.requests)[outcome] += number
        self.revision += 1
        second[0] = self.revision
        if len(self._seconds) > KEEP_S:
            del self._seconds[min(self._seconds)]


def _shares(counts: Counter[str]) -> list[dict[str, Any]]:
    total = counts.total()
    return [{"name": name, "count": count, "share": count / total} for name, count in sorted(counts.items()) if total]


EVENTS_LIMIT = 200
TEXT_LIMIT = 300
POINTS_LIMIT = 2000
PERIODS_LIMIT = 200
AHEAD_S = 60
"""The maximum number of seconds that a point may be in the future. A later point is wrong, and is ignored."""


class AddressHolders:
    def __init__(self) -> None:
        self._points: deque[Point] = deque(maxlen=POINTS_LIMIT)
        self._ownership: Ownership | None = None

    def read(self, point: Point) -> None:
        self._points.append(point)
        self._ownership = None

    @property
    def ownership(self) -> Ownership:
        if self._ownership is None:
            self._ownership = ownership_of(self._points)
        return self._ownership

    def now(self) -> list[str]:
        return sorted(node for node in self.ownership.nodes if self.ownership.holds_at(node, 1 << 62))

    def split_brain(self, balancers: Sequence[str], since_us: int, until_us: int) -> dict[str, Any] | None:
        """Return the split brain until now, measured as in the verdict, but without the error bound of the clocks.

        None: unknown, because a source is missing or old points are no longer stored.
        """
        if len(self._points) == POINTS_LIMIT:
            return None
        measured = measure_split_brain(self.ownership, balancers, since_us, until_us)
        if measured is None:
            return None
        periods = [[overlap.from_us, overlap.to_us] for overlap in measured.overlaps[-PERIODS_LIMIT:]]
        return {"total_ms": total_ms(measured), "periods": periods}

    def nodes(self, balancers: Sequence[str], until_us: int) -> list[dict[str, Any]]:
        """Return the periods in which each node held the address, in microseconds."""
        named = [*balancers, *sorted(self.ownership.nodes - set(balancers))]
        return [
            {
                "node": node,
                "observed": node in self.ownership.nodes,
                "holds": [
                    [span.from_us, span.to_us] for span in self.ownership.held_by(node, until_us)[-PERIODS_LIMIT:]
                ],
            }
            for node in named
        ]


class RunObserver:
    """Reads the journals and the run.json of a run. Unreadable lines and files are ignored."""

    def __init__(self, directory: Path) -> None:
        self.timeline = Timeline()
        self.holders = AddressHolders()
        self.run = Run(id=directory.name, name="")
        """The content of run.json. Until run.json has been read, only the run id is set."""
        self._directory = directory
        # LOCUST_JOURNAL contains the same traffic that `read_line` receives.
        self._tail = JournalTail(directory, without=frozenset({LOCUST_JOURNAL}))
        self._run_stamp: tuple[int, int] | None = None
        self._events: deque[dict[str, Any]] = deque(maxlen=EVENTS_LIMIT)

    @property
    def balancers(self) -> list[str]:
        return balancers_of(self.run)

    def events(self) -> list[dict[str, Any]]:
        return sorted(self._events, key=lambda event: event["at_us"])

    def advance(self, limit: int, now_s: int) -> bool:
        lines, more = self._tail.read(limit)
        for line in lines:
            if line.startswith((EVENT.encode(), VRRP.encode(), PROBES.encode())):
                self.read_line(line.decode("utf-8", "replace").rstrip("\r"), now_s)
        self._read_description()
        return more

    def read_line(self, line: str, now_s: int) -> None:
        try:
            point = parse_point(line)
        except ValueError:
            return
        if point.measurement == VRRP:
            self.holders.read(point)
        elif point.measurement == EVENT:
            self._read_event(point)
        else:
            self.timeline.read(point, now_s + AHEAD_S)

    def _read_event(self, point: Point) -> None:
        kind, node, at_us = point.tags.get("kind", ""), point.tags.get("node", ""), point.time_ns // 1000
        text = str(point.fields.get("text", ""))[:TEXT_LIMIT]
        self._events.append({"at_us": at_us, "kind": kind, "node": node, "text": text})

    def _read_description(self) -> None:
        try:
            status = (self._directory / RUN_FILE).stat()
            stamp = (status.st_ino, status.st_mtime_ns)
            if stamp != self._run_stamp:
                self._run_stamp = stamp
                self.run = read_run(self._directory)
        except (OSError, RunDirectoryError):
            return
