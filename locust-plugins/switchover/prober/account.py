"""The schedule, the counts and the final account of the prober."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from switchover.model.failure_kind import FailureKind
from switchover.model.outcome import Outcome

SECOND_NS = 1_000_000_000


class Schedule:
    """The due times `t0 + i / rate`, in whole nanoseconds of any clock. Each due time is computed from t0, so errors
    do not add up.

    A slot is one due time. `take` uses a slot, even if the slot is late. `give_up_stale` skips old slots, because a
    process that was suspended would send thousands of probes at once. `scheduled` counts all slots, and `unsent`
    counts skipped slots.
    """

    def __init__(self, t0_ns: int, rate: Fraction, stale_ns: int) -> None:
        self.rate = float(rate)
        self._t0_ns = t0_ns
        self._numerator, self._denominator = rate.numerator, rate.denominator * SECOND_NS
        self._stale_ns = stale_ns
        self.scheduled = 0
        self.unsent = 0
        self.next_due_ns = t0_ns

    def due_ns(self, index: int) -> int:
        return self._t0_ns + index * self._denominator // self._numerator

    def take(self) -> int:
        due_ns = self.next_due_ns
        self.scheduled += 1
        self.next_due_ns = self.due_ns(self.scheduled)
        return due_ns

    def give_up_stale(self, now_ns: int) -> None:
        oldest_kept_ns = now_ns - self._stale_ns
        if self.next_due_ns >= oldest_kept_ns:
            return
        # Find the first slot that is not stale. The floor division may return the slot before the first slot that is
        # not stale.
        index = (oldest_kept_ns - self._t0_ns) * self._numerator // self._denominator
        while self.due_ns(index) < oldest_kept_ns:
            index += 1
        self.unsent += index - self.scheduled
        self.scheduled = index
        self.next_due_ns = self.due_ns(index)


LAG_STEP_NS = 10_000


@dataclass(frozen=True, slots=True)
class ProberProgress:
    """The latest counts of probes on new connections (the stream `fresh`). In each report, `sent == good + late +
    failed + unsent + open`."""

    sent: int = 0
    good: int = 0
    failed: int = 0
    late: int = 0
    unsent: int = 0
    """Probes for which the client had no free port or descriptor."""
    open: int = 0
    lag_p99_ms: float | None = None
    last_good_us: int | None = None
    last_error: str | None = None


class Lags(Counter[int]):
    def add(self, lag_ns: int) -> None:
        self[lag_ns // LAG_STEP_NS] += 1

    def percentile_ms(self, percent: float) -> float | None:
        """Return the send lag that `percent` of the probes did not exceed. None: there are no probes."""
        needed = self.total() * percent / 100
        count = 0
        for step in sorted(self):
            count += self[step]
            if count >= needed:
                return round((step + 1) * LAG_STEP_NS / 1e6, 3)
        return None


KEPT = "kept"


class ProbeStream:
    """The schedule and the results of a stream: `fresh` (new connections) or `kept` (keep-alive connections)."""

    def __init__(self, name: str, schedule: Schedule) -> None:
        self.name = name
        self.keeps = name == KEPT
        self.schedule = schedule
        self._counts: Counter[Outcome] = Counter()
        self._last_good_us: int | None = None
        self._last_error: FailureKind | None = None
        self._lags = Lags()
        self._recent = Lags()

    @property
    def sent(self) -> int:
        return self.schedule.scheduled - self.schedule.unsent

    def conclude(self, outcome: Outcome, error: FailureKind | None, end_us: int, lag_ns: int) -> None:
        self._recent.add(lag_ns)
        self._counts[outcome] += 1
        if outcome is Outcome.GOOD:
            self._last_good_us = end_us
        elif outcome is Outcome.FAILED:
            self._last_error = error

    def status(self) -> dict[str, Any]:
        recent, self._recent = self._recent, Lags()
        self._lags.update(recent)
        return {
            "sent": self.sent,
            **{outcome.value: self._counts[outcome] for outcome in Outcome},
            "open": self.sent - self._counts.total(),
            "lag_p99_ms": recent.percentile_ms(99),
            "last_good_us": self._last_good_us,
            "last_error": self._last_error,
        }

    def account(self, anchor_ns: int) -> dict[str, Any]:
        """Return the account of the stream. At the end, `scheduled == recorded + unsent`."""
        schedule, lags = self.schedule, Lags(self._lags + self._recent)
        return {
            "scheduled": schedule.scheduled,
            "recorded": self._counts.total(),
            "unsent": schedule.unsent,
            "lag_p50_ms": lags.percentile_ms(50),
            "lag_p99_ms": lags.percentile_ms(99),
            "lag_max_ms": lags.percentile_ms(100),
            "first_due_us": (schedule.due_ns(0) + anchor_ns) // 1000 if schedule.scheduled else None,
            "rate": schedule.rate,
        }
