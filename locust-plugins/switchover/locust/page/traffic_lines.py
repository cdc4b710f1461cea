"""Lines of traffic (`switchover_requests`, `switchover_probes`) as counts: what each adds to what was known."""

import re
from dataclasses import dataclass

from switchover.locust.page.counters import series_of, time_ns_of
from switchover.locust.page.timeline import OUTCOMES
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import OTHER
from switchover.model.outcome import Outcome, read_outcome
from switchover.rundir.latest_totals import LatestTotals
from switchover.rundir.measurements import PROBES, REQUESTS
from switchover.rundir.points import Point, parse_point

KEPT_STREAM = "kept"
NAMES_LIMIT = 100
"""Distinct combinations of balancer, backend and `answered_by` that are kept apart; the rest are `other`."""
_CACHE_LIMIT = 20_000
_COUNT = re.compile(r"[ ,]count=(\d{1,15})i[, ]")


@dataclass(frozen=True, slots=True)
class SeriesNames:
    """The names that the requests of a series have in common: which pair answered."""

    balancer: str = ""
    backend: str = ""
    answered_by: str = ""


@dataclass(frozen=True, slots=True)
class Addition:
    """So many more requests (probes, where `series` is None) ended in this second; fewer, where a total fell."""

    at_s: int
    series: int | None
    outcome: int
    number: int


class TrafficLines:
    """Adds up all workers and labels. The last total of a bucket counts, so reading a line twice changes nothing."""

    def __init__(self) -> None:
        self.series_names: list[SeriesNames] = []
        """By number of the series."""
        self._numbers: dict[SeriesNames, int] = {}
        self._parsed: dict[str, tuple[int | None, int] | None] = {}
        self._totals = LatestTotals(0)

    def read(self, line: str) -> Addition | None:
        """None if the line adds nothing, or is no line of traffic."""
        series = series_of(line)
        if series not in self._parsed:
            if len(self._parsed) >= _CACHE_LIMIT:
                self._parsed.clear()
            self._parsed[series] = self._parse(line)
        parsed = self._parsed[series]
        count, time_ns = _COUNT.search(line, len(series)), time_ns_of(line)
        if parsed is None or count is None or time_ns is None:
            return None
        at_s, total = time_ns // 1_000_000_000, int(count[1])
        added = total - self._totals.replace(at_s, series, total)
        return Addition(at_s, parsed[0], parsed[1], added) if added else None

    def _parse(self, line: str) -> tuple[int | None, int] | None:
        """Number of the series (None: probes) and number of the outcome."""
        try:
            point = parse_point(line)
        except ValueError:
            return None
        outcome = read_outcome(point.tags.get("outcome", ""))
        if point.tags.get("error") == FailureKind.GENERATOR:
            # Earlier versions wrote such probes as failed.
            outcome = Outcome.UNSENT
        if outcome not in OUTCOMES:
            return None
        if point.measurement == REQUESTS:
            return self._number(point), OUTCOMES.index(outcome)
        if point.measurement == PROBES and point.tags.get("stream") != KEPT_STREAM:
            return None, OUTCOMES.index(outcome)
        return None

    def _number(self, point: Point) -> int:
        names = SeriesNames(*(point.tags.get(name, "") for name in ("balancer", "backend", "answered_by")))
        if names not in self._numbers and len(self.series_names) >= NAMES_LIMIT - 1:
            names = SeriesNames(OTHER, OTHER, OTHER)
        if names not in self._numbers:
            self._numbers[names] = len(self.series_names)
            self.series_names.append(names)
        return self._numbers[names]
