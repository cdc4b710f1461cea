"""Requests and probes of each second, and who answered how many requests since the run began."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from switchover.locust.page.counters import series_of, time_ns_of
from switchover.model.failure_kind import FailureKind
from switchover.model.outcome import Outcome, read_outcome
from switchover.rundir.latest_totals import LatestTotals
from switchover.rundir.measurements import PROBES, REQUESTS
from switchover.rundir.points import Point, parse_point

KEEP_S = 3600
"""The newest seconds, which are kept one by one; the totals have the older ones too."""
NAMES_LIMIT = 100
"""Names of backends, and of balancers, that are counted apart; the rest are not shown."""
OUTCOMES = (Outcome.GOOD, Outcome.FAILED, Outcome.LATE)
KEPT_STREAM = "kept"
_CACHE_LIMIT = 20_000
_COUNT = re.compile(r"[ ,]count=(\d{1,15})i[, ]")

Counts = list[int]
"""As many as there are outcomes."""


class TimelineSecond:
    """What ended in one second; a change gives it a higher revision."""

    __slots__ = ("probes", "requests", "revision")

    def __init__(self) -> None:
        self.requests: Counts = [0, 0, 0]
        self.probes: Counts = [0, 0, 0]
        self.revision = 0


class Timeline:
    """Adds up all workers and labels. The last total of a bucket counts, so reading a line twice changes nothing.

    Every change raises the revision, so that a reader can ask for what has changed since.
    """

    def __init__(self) -> None:
        self.revision = 0
        self.requests: Counts = [0, 0, 0]
        """Of the whole run."""
        self.probes: Counts = [0, 0, 0]
        self._seconds: dict[int, TimelineSecond] = {}
        self._parsed: dict[str, tuple[bool, int, Mapping[str, str]] | None] = {}
        self._totals = LatestTotals(0)
        self._answered: dict[str, Counter[str]] = {
            "backend": Counter(),
            "balancer": Counter(),
            "answered_by": Counter(),
        }

    def read(self, line: str, until_s: int) -> None:
        """A line of traffic; any other, and one of a second after `until_s`, adds nothing."""
        series = series_of(line)
        if series not in self._parsed:
            if len(self._parsed) >= _CACHE_LIMIT:
                self._parsed.clear()
            self._parsed[series] = _parse(line)
        parsed = self._parsed[series]
        count, time_ns = _COUNT.search(line, len(series)), time_ns_of(line)
        if parsed is None or count is None or time_ns is None or time_ns // 1_000_000_000 > until_s:
            return
        at_s, total = time_ns // 1_000_000_000, int(count[1])
        is_probe, outcome, tags = parsed
        more = total - self._totals.replace(at_s, series, total)
        if more:
            self._count(at_s, outcome, more, is_probe=is_probe)
            for what, counter in self._answered.items() if not is_probe else ():
                name = tags.get(what, "")
                if name and (name in counter or len(counter) < NAMES_LIMIT):
                    counter[name] += more

    def seconds(self, since_revision: int = 0) -> Iterator[list[int]]:
        """In order of time: the second, its requests and its probes by outcome; with a revision, what has changed."""
        for at_s in sorted(self._seconds):
            second = self._seconds[at_s]
            if second.revision > since_revision:
                yield [at_s, *second.requests, *second.probes]

    def bad_probes(self, from_s: int, to_s: int) -> int:
        """Probes that failed or came late in these seconds, as far as the seconds are kept."""
        return sum(sum(one.probes[1:]) for at_s, one in self._seconds.items() if from_s <= at_s < to_s)

    def shares(self, weights: Mapping[str, float]) -> dict[str, Any]:
        """Shares of the answers. A backend that has a weight and never answered is listed with 0."""
        return {
            "backends": _shares(self._answered["backend"], weights),
            "balancers": _shares(self._answered["balancer"], {}),
            "answered_by": dict(self._answered["answered_by"]),
        }

    def _count(self, at_s: int, outcome: int, number: int, *, is_probe: bool) -> None:
        second = self._seconds.setdefault(at_s, TimelineSecond())
        for counts in (second.probes, self.probes) if is_probe else (second.requests, self.requests):
            counts[outcome] += number
        self.revision += 1
        second.revision = self.revision
        if len(self._seconds) > KEEP_S:
            del self._seconds[min(self._seconds)]


def _parse(line: str) -> tuple[bool, int, Mapping[str, str]] | None:
    """Whether it is of probes, the number of the outcome, and the tags; None for what is not counted."""
    try:
        point = parse_point(line)
    except ValueError:
        return None
    outcome = _outcome_of(point)
    if outcome not in OUTCOMES or point.measurement not in (REQUESTS, PROBES):
        return None
    if point.measurement == PROBES and point.tags.get("stream") == KEPT_STREAM:
        return None
    return point.measurement == PROBES, OUTCOMES.index(outcome), point.tags


def _outcome_of(point: Point) -> Outcome | None:
    """Earlier versions wrote probes that the client could not send as failed."""
    is_ours = point.tags.get("error") == FailureKind.GENERATOR
    return Outcome.UNSENT if is_ours else read_outcome(point.tags.get("outcome", ""))


def _shares(counts: Counter[str], weights: Mapping[str, float]) -> list[dict[str, Any]]:
    total, weight = counts.total(), sum(weights.values())
    return [
        {
            "name": name,
            "count": counts[name],
            "share": counts[name] / total if total > 0 else None,
            "expected": weights[name] / weight if name in weights and weight > 0 else None,
        }
        for name in sorted({*counts, *weights})
    ]
