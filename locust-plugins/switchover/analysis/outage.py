"""How long the service was away, from the probes of one stream.

The timestamp method of RFC 6201 section 1.3: from the last good answer before the first impairment to the first
good answer after it. Recovery counts only once it lasts, as in RFC 6412 sections 3.7.5 and 3.7.6. All times are
whole microseconds of the run's clock, so that every implementation of these definitions agrees exactly.

The result is an upper estimate: the service was alive when it sent the last good answer, and back when it sent the
first. `early_us` says by how much the true outage may have been shorter: see `docs/measurement.md`.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from switchover.analysis.outcome import Outcome
from switchover.analysis.probes import Probe, usual_us

CLEAN_WINDOW_US = 5_000_000
"""Recovery must last this long (RFC 6412 section 3.7.6), or up to the next planned event."""
CLEAN_PROBES = 5
"""And hold for this many consecutive probes (RFC 6412 section 3.7.5)."""


PATIENCE = 3
"""A probe that waited this many times the usual time for its answer was sent while the service was still away. The
first answer after a switchover may be slow (neighbour entry, cold caches): the usual time alone proves little."""


class OutageKind(StrEnum):
    NONE = "none"
    """No probe was impaired: less than one probe interval."""
    OUTAGE = "outage"
    PARTIAL = "partial"
    """Good answers between the impaired ones: no single gap fills half of the time from first to last."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A time without a good answer, and the impaired probes in it.

    They are a series in the order in which they were sent; or several, where all that was sent between them was
    answered only after the gap had ended.
    """

    from_us: int
    """The last good answer before it."""
    to_us: int
    """The first good answer to any probe sent after it; where there is none, the horizon."""
    first_us: int
    """When its first impaired probe was sent."""
    last_us: int
    """When its last impaired probe was sent."""
    early_left_us: int
    early_right_us: int
    failed: int
    late: int
    closed: bool

    @property
    def duration_us(self) -> int:
        return self.to_us - self.from_us

    def covers_the_time_of(self, earlier: "Gap") -> bool:
        return (self.from_us, self.to_us, self.closed) == (earlier.from_us, earlier.to_us, earlier.closed)

    def joined_to(self, earlier: "Gap") -> "Gap":
        """Both, which no answer parts. The end is as uncertain as its later series leaves it."""
        return replace(
            self,
            first_us=earlier.first_us,
            early_left_us=min(earlier.early_left_us, self.early_left_us),
            failed=earlier.failed + self.failed,
            late=earlier.late + self.late,
        )


@dataclass(frozen=True, slots=True)
class Outage:
    """What one event (a fault, or its heal) cost."""

    kind: OutageKind
    duration_us: int = 0
    early_us: int = 0
    """By how much the true outage may have been shorter."""
    censored: bool = False
    """No clean window opened before the horizon: the duration is a lower bound."""
    from_us: int | None = None
    to_us: int | None = None
    gaps: tuple[Gap, ...] = ()
    """Those between `from_us` and `to_us`."""
    strays: tuple[Gap, ...] = ()
    """Those after a clean window had opened."""
    loss_derived_ms: float | None = None
    """Impaired probes divided by their rate (RFC 6412 section 3.6.1)."""
    interval_us: float | None = None

    @property
    def impaired(self) -> int:
        return sum(gap.failed + gap.late for gap in self.gaps + self.strays)

    @property
    def envelope_us(self) -> int:
        """From the start of the first gap to the end of the last, strays included."""
        every = self.gaps + self.strays
        return max(gap.to_us for gap in every) - every[0].from_us if every else 0

    @property
    def sum_of_gaps_us(self) -> int:
        return sum(gap.duration_us for gap in self.gaps + self.strays)

    @property
    def longest_stray_us(self) -> int:
        return max((gap.duration_us for gap in self.strays), default=0)

    @property
    def recovered(self) -> bool:
        """A clean window opened, and nothing was away again when the horizon came."""
        return not self.censored and all(gap.closed for gap in self.strays)

    @property
    def first_impaired_us(self) -> int | None:
        return self.gaps[0].first_us if self.gaps else None


def measure_outage(
    probes: Sequence[Probe], *, since_us: int, horizon_us: int, rate: float | None, next_event: bool = True
) -> Outage:
    """The outage that began at or after `since_us`, as far as it can be seen before `horizon_us`.

    `probes` must be in send order. `since_us` is when the fault (or the heal) was fired, `horizon_us` the next
    planned event, or with `next_event=False` the end of the run: then answers that come after it still count.
    """
    interval_us = 1e6 / rate if rate else None
    section = _Section(probes, since_us, horizon_us, next_event)
    found = section.gaps()
    if not found:
        return Outage(kind=OutageKind.NONE, loss_derived_ms=0.0 if rate else None, interval_us=interval_us)
    closing = _closing(found)
    gaps = tuple(gap for gap, _ in found)
    inside = gaps if closing is None else gaps[: closing + 1]
    end = inside[-1]
    duration_us = end.to_us - inside[0].from_us
    impaired = sum(gap.failed + gap.late for gap in gaps)
    return Outage(
        kind=_kind(inside, duration_us),
        duration_us=duration_us,
        early_us=min(inside[0].early_left_us + end.early_right_us, duration_us),
        censored=closing is None,
        from_us=inside[0].from_us,
        to_us=end.to_us,
        gaps=inside,
        strays=gaps[len(inside) :],
        loss_derived_ms=impaired * 1000 / rate if rate else None,
        interval_us=interval_us,
    )


def _kind(gaps: Sequence[Gap], duration_us: int) -> OutageKind:
    longest = max(gap.duration_us for gap in gaps)
    return OutageKind.PARTIAL if len(gaps) > 1 and longest * 2 < duration_us else OutageKind.OUTAGE


def _closing(found: Sequence[tuple[Gap, int]]) -> int | None:
    """The first gap that a clean window follows."""
    for index, ((gap, good), (following, _)) in enumerate(pairwise(found)):
        if gap.closed and good >= CLEAN_PROBES and following.first_us - gap.to_us >= CLEAN_WINDOW_US:
            return index
    gap, good = found[-1]
    return len(found) - 1 if gap.closed and good >= CLEAN_PROBES else None


class _Section:
    """The part of a run between two planned events: the probes that ended after the one and began before the other.

    What was in flight at the fault and failed belongs to it, whenever it was sent; what was answered well before
    the fault proves that the service was alive then, whenever it was sent.
    """

    def __init__(self, probes: Sequence[Probe], since_us: int, horizon_us: int, next_event: bool) -> None:
        self._since_us = since_us
        self._horizon_us = horizon_us
        self._next_event = next_event
        self._usual_us = usual_us(probes, since_us)
        self._probes = [p for p in probes if p.end_us >= since_us and (not next_event or p.start_us < horizon_us)]
        self._starts = [probe.start_us for probe in self._probes]
        before = [probe for probe in probes if probe.end_us < since_us]
        self._alive_us = max((p.end_us for p in before if p.outcome is Outcome.GOOD), default=None)
        latest = max(before, key=lambda probe: probe.end_us, default=None)
        self._ongoing = latest is not None and latest.impaired

    def gaps(self) -> list[tuple[Gap, int]]:
        """Every gap that belongs here, with the number of good answers between it and the next series."""
        runs = self._impaired_runs()
        followings = [*(first for first, _ in runs[1:]), len(self._probes)]
        alive, back = self._alive_before(), self._back_after()
        found: list[tuple[Gap, int]] = []
        for (first, last), following in zip(runs, followings, strict=False):
            members = self._probes[first : last + 1]
            if not any(self._in_time(probe) for probe in members):
                continue  # in flight at the next event, and failed after it: that event's
            good = sum(self._in_time(probe) for probe in self._probes[last + 1 : following])
            gap = self._gap(members, back[last + 1], alive[first], last, following)
            if found and gap.covers_the_time_of(found[-1][0]):
                gap = gap.joined_to(found.pop()[0])
            found.append((gap, good))
        return found

    def _gap(self, members: Sequence[Probe], back: int | None, alive: int | None, last: int, end: int) -> Gap:
        closed = back is not None
        to_us = self._horizon_us if back is None else back
        if alive is None or alive > to_us:
            alive = self._last_good(members[0], to_us)
        at_first = alive is None or alive < self._since_us
        if at_first and self._ongoing:
            from_us, early_left_us = self._since_us, 0
        else:
            from_us = alive if alive is not None else min(self._since_us, members[0].start_us)
            early_left_us = self._early_left(members, from_us, to_us)
        return Gap(
            from_us=from_us,
            to_us=to_us,
            first_us=members[0].start_us,
            last_us=members[-1].start_us,
            early_left_us=early_left_us,
            early_right_us=self._early_right(last, end, to_us) if closed else 0,
            failed=sum(probe.outcome is Outcome.FAILED for probe in members),
            late=sum(probe.outcome is Outcome.LATE for probe in members),
            closed=closed,
        )

    def _impaired_runs(self) -> list[tuple[int, int]]:
        """First and last index of every unbroken series of impaired probes."""
        runs: list[tuple[int, int]] = []
        for index, probe in enumerate(self._probes):
            if not probe.impaired:
                continue
            if runs and runs[-1][1] == index - 1:
                runs[-1] = (runs[-1][0], index)
            else:
                runs.append((index, index))
        return runs

    def _in_time(self, probe: Probe) -> bool:
        return not self._next_event or probe.end_us < self._horizon_us

    def _alive_before(self) -> list[int | None]:
        """For each probe, the latest good answer to those sent before it, whenever that answer came."""
        latest, known = self._alive_us, []
        for probe in self._probes:
            known.append(latest)
            if probe.outcome is Outcome.GOOD:
                latest = probe.end_us if latest is None else max(latest, probe.end_us)
        return known

    def _back_after(self) -> list[int | None]:
        """For each probe, the first good answer in time to it or to those sent after it; and None behind the last."""
        earliest: int | None = None
        known: list[int | None] = [None]
        for probe in reversed(self._probes):
            if not probe.impaired and self._in_time(probe):
                earliest = probe.end_us if earliest is None else min(earliest, probe.end_us)
            known.append(earliest)
        return known[::-1]

    def _last_good(self, first: Probe, to_us: int) -> int | None:
        """The same where some of those answers came only after the gap had ended: the latest before that."""
        ends = [
            probe.end_us
            for probe in self._probes
            if probe.start_us < first.start_us and probe.outcome is Outcome.GOOD and probe.end_us <= to_us
        ]
        return max(ends, default=self._alive_us)

    def _early_left(self, members: Sequence[Probe], from_us: int, to_us: int) -> int:
        """The service may have lived on until its first failure, or until an answer would usually have come."""
        usual = self._usual_us
        down_us = min(p.end_us if usual is None else min(p.end_us, p.start_us + usual) for p in members)
        return max(0, min(down_us, to_us) - from_us)

    def _early_right(self, last: int, end: int, to_us: int) -> int:
        """It may have been back since the last impaired probe was sent; or since a later one was sent that waited
        unusually long for its answer, as the probes do that a hang has held."""
        unanswered = last
        if self._usual_us is not None:
            unanswered = bisect_left(self._starts, to_us - PATIENCE * self._usual_us, last + 1, end) - 1
        return max(0, to_us - self._starts[unanswered])
