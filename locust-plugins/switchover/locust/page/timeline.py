"""Requests and probes of each second, and the number of requests that each server has answered in the run."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from switchover.model.outcome import Outcome, read_outcome
from switchover.rundir.latest_totals import LatestTotals
from switchover.rundir.measurements import PROBES, REQUESTS
from switchover.rundir.points import Point

KEEP_S = 3600
"""The number of newest seconds that are stored. The totals include the older seconds."""
NAMES_LIMIT = 100
"""The highest number of names of backends, and of balancers, that are counted. Further names are not shown."""
OUTCOMES = (Outcome.GOOD, Outcome.FAILED, Outcome.LATE)
KEPT_STREAM = "kept"


class Timeline:
    """The sums over all workers and labels. The last total of a bucket counts, so a repeated line changes nothing.

    Every change raises the revision, so a reader can ask for the changes since a revision.
    """

    def __init__(self) -> None:
        self.revision = 0
        self.requests = [0, 0, 0]
        self.probes = [0, 0, 0]
        self._seconds: dict[int, list[int]] = {}
        """For each second: its revision, then its requests and its probes by outcome."""
        self._totals = LatestTotals(0)
        self._answered: dict[str, Counter[str]] = {
            "backend": Counter(),
            "balancer": Counter(),
            "answered_by": Counter(),
        }

    def read(self, point: Point, until_s: int) -> None:
        """Add a point of traffic. Other points, and points later than `until_s`, are ignored."""
        at_s, total, is_probe = point.time_ns // 1_000_000_000, point.fields.get("count"), point.measurement == PROBES
        outcome = read_outcome(point.tags.get("outcome", ""))
        if outcome not in OUTCOMES or not isinstance(total, int) or at_s > until_s:
            return
        if point.measurement not in (REQUESTS, PROBES) or (is_probe and point.tags.get("stream") == KEPT_STREAM):
            return
        series = (point.measurement, *sorted(point.tags.items()))
        more = total - self._totals.replace(at_s, series, total)
        if more:
            self._count(at_s, OUTCOMES.index(outcome), more, is_probe=is_probe)
            for tag, counter in self._answered.items() if not is_probe else ():
                name = point.tags.get(tag, "")
                if name and (name in counter or len(counter) < NAMES_LIMIT):
                    counter[name] += more

    def seconds(self, since_revision: int = 0) -> Iterator[list[int]]:
        """Yield each second that changed after the revision, in order of time: requests and probes by outcome."""
        for at_s in sorted(self._seconds):
            second = self._seconds[at_s]
            if second[0] > since_revision:
                yield [at_s, *second[1:]]

    def bad_probes(self, from_s: int, to_s: int) -> int:
        """Return the number of probes that failed or were late in these seconds.

        Old seconds that were dropped count as 0.
        """
        return sum(sum(second[5:]) for at_s, second in self._seconds.items() if from_s <= at_s < to_s)

    def shares(self) -> dict[str, Any]:
        return {
            "backends": _shares(self._answered["backend"]),
            "balancers": _shares(self._answered["balancer"]),
            "answered_by": dict(self._answered["answered_by"]),
        }

    def _count(self, at_s: int, outcome: int, number: int, *, is_probe: bool) -> None:
        second = self._seconds.setdefault(at_s, [0] * 7)
        second[outcome + (4 if is_probe else 1)] += number
        (self.probes if is_probe else self.requests)[outcome] += number
        self.revision += 1
        second[0] = self.revision
        if len(self._seconds) > KEEP_S:
            del self._seconds[min(self._seconds)]


def _shares(counts: Counter[str]) -> list[dict[str, Any]]:
    total = counts.total()
    return [{"name": name, "count": count, "share": count / total} for name, count in sorted(counts.items()) if total]
