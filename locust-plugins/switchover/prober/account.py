"""The schedule, the counts and the final account of the prober."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from switchover.model.errors import UsageError
from switchover.model.failure_kind import FailureKind
from switchover.model.outcome import Outcome

SECOND_NS = 1_000_000_000
GAPS_LIMIT = 1000
"""The maximum number of listed gaps. Further gaps are merged into the last gap, to limit memory."""


class Schedule:
    """The due times `t0 + i / rate`, in whole nanoseconds of any clock. Each due time is computed from t0, so due
    times do not drift.

    A slot is one due time. `take` uses a slot, even if it is late. `give_up_stale` skips slots that are overdue by
    more than `stale_ns`. Without this rule, a process that was suspended would send thousands of old probes at once.
    `scheduled` counts used slots and skipped slots. `unsent` counts skipped slots.
    """

    def __init__(self, t0_ns: int, rate: Fraction, stale_ns: int) -> None:
        if rate <= 0:
            raise UsageError(f"the probe rate must be above 0, not {float(rate):g}")
        self.rate = float(rate)
        self._t0_ns = t0_ns
        self._numerator, self._denominator = rate.numerator, rate.denominator * SECOND_NS
        self._stale_ns = stale_ns
        self.scheduled = 0
        self.unsent = 0
        self.gaps: list[tuple[int, int]] = []
        """[from, to): the due times of the first skipped slot, and of the next slot that was not skipped."""
        self.next_due_ns = t0_ns

    def due_ns(self, index: int) -> int:
        return self._t0_ns + index * self._denominator // self._numerator

    def take(self) -> int:
        """Return the due time of the next slot, and advance by one slot."""
        due_ns = self.next_due_ns
        self.scheduled += 1
        self.next_due_ns = self._t0_ns + self.scheduled * self._denominator // self._numerator
        return due_ns

    def give_up_stale(self, now_ns: int) -> None:
        """Skip every slot that is overdue by more than `stale_ns`."""
        oldest_kept_ns = now_ns - self._stale_ns
        if self.next_due_ns >= oldest_kept_ns:
            return
        first_ns = self.next_due_ns
        # Find the first slot that is not stale. The floor division may return the slot before it.
        index = (oldest_kept_ns - self._t0_ns) * self._numerator // self._denominator
        while self.due_ns(index) < oldest_kept_ns:
            index += 1
        self.unsent += index - self.scheduled
        self.scheduled = index
        self.next_due_ns = self.due_ns(index)
        if self.gaps and (self.gaps[-1][1] == first_ns or len(self.gaps) >= GAPS_LIMIT):
            self.gaps[-1] = (self.gaps[-1][0], self.next_due_ns)
        else:
            self.gaps.append((first_ns, self.next_due_ns))


LAG_STEP_NS = 10_000
"""The resolution of send lag in ns."""


@dataclass(frozen=True, slots=True)
class ProberProgress:
    """The latest counts of the fresh stream. In each report, `sent == good + late + failed + unsent + open`."""

    sent: int = 0
    good: int = 0
    failed: int = 0
    late: int = 0
    """Expected responses that exceeded the late threshold. `good` does not include them."""
    unsent: int = 0
    """Probes that the client could not send, because it had no free port or descriptor."""
    open: int = 0
    lag_p99_ms: float | None = None
    """The 99th percentile of the send lag in the last second."""
    last_good_us: int | None = None
    last_error: str | None = None


class Lags(Counter[int]):
    """A histogram of send lag, in steps of `LAG_STEP_NS`."""

    def add(self, lag_ns: int) -> None:
        self[lag_ns // LAG_STEP_NS] += 1

    def percentile_ms(self, percent: float) -> float | None:
        """Return a percentile of the send lag: `percent` of the probes had at most this send lag. None: there are no
        probes."""
        needed = self.total() * percent / 100
        count = 0
        for step in sorted(self):
            count += self[step]
            if count >= needed:
                return round((step + 1) * LAG_STEP_NS / 1e6, 3)
        return None


class ProbeStream:
    """The schedule and the results of a stream: `fresh` (new connections) or `kept` (keep-alive connections)."""

    def __init__(self, name: str, schedule: Schedule) -> None:
        self.name = name
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
        """Return the account of the stream. When all probes have ended, `scheduled == recorded + unsent`."""
        schedule, lags = self.schedule, Lags(self._lags + self._recent)
        due_ns = [schedule.due_ns(index) for index in (0, schedule.scheduled - 1) if schedule.scheduled]
        first_us, last_us = ((at_ns + anchor_ns) // 1000 for at_ns in due_ns) if due_ns else (None, None)
        return {
            "scheduled": schedule.scheduled,
            "recorded": self._counts.total(),
            "unsent": schedule.unsent,
            "gaps": [[(at_ns + anchor_ns) // 1000 for at_ns in gap] for gap in schedule.gaps],
            "lag_p50_ms": lags.percentile_ms(50),
            "lag_p99_ms": lags.percentile_ms(99),
            "lag_max_ms": lags.percentile_ms(100),
            "first_due_us": first_us,
            "last_due_us": last_us,
            "rate": schedule.rate,
        }
