"""The share of each backend and balancer: since the run began and in the last seconds, beside its expected share."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from switchover.locust.page.timeline import Timeline
from switchover.locust.page.traffic_lines import SeriesNames

RECENT_S = 10
"""The last seconds of the load, whose share is shown beside that of the whole run."""


class Shares:
    """Totals by series, kept as requests are counted."""

    def __init__(self, series_names: list[SeriesNames]) -> None:
        self._series_names = series_names
        self._totals: Counter[int] = Counter()
        self._newest_s = 0
        """The last second in which a request ended."""

    def count(self, at_s: int, series: int, number: int) -> None:
        self._totals[series] += number
        self._newest_s = max(self._newest_s, at_s)

    def facts(self, timeline: Timeline, weights: Mapping[str, float]) -> dict[str, Any]:
        """Shares of the answers. A backend that has a weight and never answered is listed with 0."""
        recent: Counter[int] = Counter()
        for stretch in timeline.last(RECENT_S, self._newest_s + 1):
            for series, counts in stretch.by_series.items():
                recent[series] += sum(counts)
        answered_by: Counter[str] = Counter()
        for series, number in self._totals.items():
            if self._series_names[series].answered_by:
                answered_by[self._series_names[series].answered_by] += number
        return {
            "recent_s": RECENT_S,
            "backends": self._table("backend", recent, weights),
            "balancers": self._table("balancer", recent, {}),
            "answered_by": dict(answered_by),
        }

    def _table(self, what: str, recent: Counter[int], weights: Mapping[str, float]) -> list[dict[str, Any]]:
        whole, lately = self._by_name(what, self._totals), self._by_name(what, recent)
        all_whole, all_lately, all_weight = whole.total(), lately.total(), sum(weights.values())
        return [
            {
                "name": name,
                "count": whole[name],
                "share": whole[name] / all_whole if all_whole > 0 else None,
                "recent": lately[name] / all_lately if all_lately > 0 else None,
                "expected": weights[name] / all_weight if name in weights and all_weight > 0 else None,
            }
            for name in sorted({*whole, *weights})
        ]

    def _by_name(self, what: str, counts: Counter[int]) -> Counter[str]:
        found: Counter[str] = Counter()
        for series, number in counts.items():
            name = str(getattr(self._series_names[series], what))
            if name:
                found[name] += number
        return found
