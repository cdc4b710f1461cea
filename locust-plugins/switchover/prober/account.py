"""What the prober knows of itself: counts while it runs, and the account that it closes with."""

import resource
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

from switchover.model.failure_kind import FailureKind
from switchover.model.outcome import Outcome
from switchover.prober.schedule import Schedule

LAG_STEP_NS = 10_000
"""Send lag is counted in steps of 10 µs, a hundredth of the lag that is judged."""


@dataclass(frozen=True, slots=True)
class ProberProgress:
    """The state of the fresh stream a moment ago: `sent == good + late + failed + unsent + open`."""

    sent: int = 0
    good: int = 0
    failed: int = 0
    late: int = 0
    """Answered as expected, but after the threshold; not counted in `good`."""
    unsent: int = 0
    """Due, but the client had no port or descriptor left: says nothing about the balancer."""
    open: int = 0
    lag_p99_ms: float | None = None
    """Send lag of the last second."""
    last_good_us: int | None = None
    last_error: str | None = None


class Lags:
    """How long after their due times probes were sent, in steps of 10 µs, over any time in bounded memory."""

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()

    def add(self, lag_ns: int) -> None:
        self._counts[lag_ns // LAG_STEP_NS] += 1

    def take(self) -> "Lags":
        """What was added since the last `take`, which starts again with nothing."""
        taken = Lags()
        taken._counts, self._counts = self._counts, taken._counts
        return taken

    def merge(self, other: "Lags") -> None:
        self._counts.update(other._counts)

    def percentile_ms(self, percent: float) -> float | None:
        """The smallest step that at least `percent` of the probes kept, its upper end; None without probes."""
        needed = self._counts.total() * percent / 100
        seen = 0
        for step in sorted(self._counts):
            seen += self._counts[step]
            if seen >= needed:
                return round((step + 1) * LAG_STEP_NS / 1e6, 3)
        return None


class ProbeStream:
    """One of the prober's two streams (`fresh`, `kept`): its schedule and what became of it."""

    __slots__ = (
        "_lags",
        "_recent",
        "failed",
        "good",
        "last_error",
        "last_good_us",
        "late",
        "name",
        "schedule",
        "unsent",
    )

    def __init__(self, name: str, schedule: Schedule) -> None:
        self.name = name
        self.schedule = schedule
        self.good = 0
        self.late = 0
        self.failed = 0
        self.unsent = 0
        self.last_good_us: int | None = None
        self.last_error: FailureKind | None = None
        self._lags = Lags()
        self._recent = Lags()

    @property
    def recorded(self) -> int:
        return self.good + self.late + self.failed + self.unsent

    @property
    def sent(self) -> int:
        return self.schedule.scheduled - self.schedule.unsent

    def conclude(self, outcome: Outcome, error: FailureKind | None, end_us: int, lag_ns: int) -> None:
        self._recent.add(lag_ns)
        if outcome is Outcome.GOOD:
            self.good += 1
            self.last_good_us = end_us
        elif outcome is Outcome.LATE:
            self.late += 1
        elif outcome is Outcome.UNSENT:
            self.unsent += 1
        else:
            self.failed += 1
            self.last_error = error

    def status(self) -> dict[str, Any]:
        """The fields of a `ProberProgress`."""
        recent = self._recent.take()
        self._lags.merge(recent)
        return {
            "sent": self.sent,
            "good": self.good,
            "failed": self.failed,
            "late": self.late,
            "unsent": self.unsent,
            "open": self.sent - self.recorded,
            "lag_p99_ms": recent.percentile_ms(99),
            "last_good_us": self.last_good_us,
            "last_error": self.last_error,
        }

    def account(self, anchor_ns: int) -> dict[str, Any]:
        """`scheduled == recorded + unsent` once nothing is open any more."""
        self._lags.merge(self._recent.take())
        schedule = self.schedule
        last_due_ns = schedule.last_due_ns
        return {
            "scheduled": schedule.scheduled,
            "recorded": self.recorded,
            "unsent": schedule.unsent,
            "gaps": [[_us(begin, anchor_ns), _us(end, anchor_ns)] for begin, end in schedule.gaps],
            "lag_p50_ms": self._lags.percentile_ms(50),
            "lag_p99_ms": self._lags.percentile_ms(99),
            "lag_max_ms": self._lags.percentile_ms(100),
            "first_due_us": None if last_due_ns is None else _us(schedule.due_ns(0), anchor_ns),
            "last_due_us": None if last_due_ns is None else _us(last_due_ns, anchor_ns),
            "rate": schedule.rate,
        }


class CpuMeter:
    """CPU time of this process, user and system, as a share of one core since the meter was made."""

    def __init__(self) -> None:
        self._since = self._read()

    def percent(self) -> float | None:
        used, now = self._read()
        elapsed = now - self._since[1]
        return round(100 * (used - self._since[0]) / elapsed, 2) if elapsed > 0 else None

    @staticmethod
    def _read() -> tuple[float, float]:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return usage.ru_utime + usage.ru_stime, time.monotonic()


def _us(monotonic_ns: int, anchor_ns: int) -> int:
    return (monotonic_ns + anchor_ns) // 1000
