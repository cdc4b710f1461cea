"""Totals per second of each series. If a total is written several times, the last total is used."""

from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T")

KEPT_SECONDS = 300
"""The number of the newest seconds that are stored, because their totals may still change. A journal rewrites a
second for up to 120 s (`traffic.KEEP_S`)."""


class LatestTotals(Generic[T]):
    """The totals of the newest seconds. A second that is not stored has the total `nothing`."""

    def __init__(self, nothing: T) -> None:
        self._nothing = nothing
        self._seconds: dict[int, dict[Hashable, T]] = {}

    def replace(self, second: int, series: Hashable, total: T) -> T:
        """Store a total, and return the previous total."""
        totals = self._seconds.setdefault(second, {})
        before = totals.get(series, self._nothing)
        totals[series] = total
        if len(self._seconds) > KEPT_SECONDS:
            del self._seconds[min(self._seconds)]
        return before
