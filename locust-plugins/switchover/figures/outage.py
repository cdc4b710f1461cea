"""The outage, measured by the probes of one stream (timestamp method of RFC 6201 section 1.3). The outage begins at
the last good response before the first impaired probe. It ends at the first good response that opens a stability
window (RFC 6412 sections 3.7.5 and 3.7.6). All times are integer microseconds of the run's clock. The service was up
when it sent the last response before the outage, and the first response after the outage. The time between both
responses is therefore the upper bound of the outage. `docs/measurement.md` defines the lower bound."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from switchover.evidence.requests.store import Integers
from switchover.figures.probes import Probes, longest_unseen, usual_us
from switchover.model.interval import NO_SPAN, Interval, Span, longest_of
from switchover.verdict.record import GAPS_LIMIT, OutageKind, milliseconds, milliseconds_if_known
from switchover.verdict.record import Gap as GapRecord
from switchover.verdict.record import Outage as OutageRecord

STABILITY_WINDOW_US = 5_000_000
"""The stability window after a recovery, in microseconds without an impaired probe (RFC 6412 section 3.7.6). The next
planned event ends the window early."""
CLEAN_PROBES = 5
"""The number of consecutive good probes in the stability window (RFC 6412 section 3.7.5)."""


PATIENCE = 3
"""A response that took longer than this multiple of the usual duration proves that its probe was sent during the
outage. A faster response is no proof of an outage, because the first response after a switchover may be slow
(neighbour entry, cold caches)."""

_NOT_YET, _NEVER = np.iinfo(np.int64).min, np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A time without a good response, and the impaired probes in this time. Two series of impaired probes are in one
    gap if no probe between them got a response before the end of the gap."""

    from_us: int
    """The time of the last good response before the gap. If the client was delayed, the time when the probe of this
    response was sent."""
    to_us: int
    """The time of the first good response to a probe that was sent after the impaired probes. Without such a
    response, the end of the measured period."""
    first_us: int
    """The time when the first impaired probe was sent."""
    last_us: int
    """The time when the last impaired probe was sent."""
    known_from_us: int
    """The earliest time when an impaired probe ended, with a failure or a late response."""
    early_left_us: int
    """The longest time after `from_us` in which the service may have been up, in microseconds."""
    early_right_us: int
    """The longest time before `to_us` in which the service may have been up again, in microseconds."""
    failed: int
    late: int
    closed: bool
    """True if a good response ended the gap."""

    @property
    def duration_us(self) -> int:
        return self.to_us - self.from_us

    @property
    def span(self) -> Span:
        return Span(self.from_us, self.to_us)

    @property
    def record(self) -> GapRecord:
        return GapRecord.of(self.from_us, self.to_us, failed=self.failed, late=self.late)

    @property
    def length(self) -> Interval:
        """The duration of the gap in microseconds, without an upper end if no good response ended the gap."""
        low_us = max(0, self.duration_us - self.early_left_us - self.early_right_us)
        return Interval(low_us, self.duration_us if self.closed else None)

    def joined_to(self, earlier: "Gap") -> "Gap":
        """Return one gap that contains this gap and the earlier gap, because no response separates both gaps."""
        return replace(
            self,
            first_us=earlier.first_us,
            known_from_us=min(earlier.known_from_us, self.known_from_us),
            early_left_us=min(earlier.early_left_us, self.early_left_us),
            failed=earlier.failed + self.failed,
            late=earlier.late + self.late,
        )


@dataclass(frozen=True, slots=True)
class Outage:
    """The outage after one event: a fault or the heal of a fault."""

    kind: OutageKind
    gaps: tuple[Gap, ...] = ()
    """The gaps before the first stability window."""
    censored: bool = False
    """True if no stability window began before the next planned event. The duration is then a lower bound."""
    later_gaps: tuple[Gap, ...] = ()
    """The gaps after the first stability window."""
    interval_us: float | None = None
    """The scheduled time between two probes."""
    unseen: Span = NO_SPAN
    """The longest time without sending a probe, from the fault or heal to the next planned event, outside of all
    gaps."""

    @property
    def detection_limit_us(self) -> int:
        """The detection limit in microseconds. A gap that is shorter than this limit may have been missed."""
        return self.unseen.duration_us

    @property
    def from_us(self) -> int | None:
        return self.gaps[0].from_us if self.gaps else None

    @property
    def to_us(self) -> int | None:
        return self.gaps[-1].to_us if self.gaps else None

    @property
    def duration_us(self) -> int:
        """The upper bound of the outage, from the start of the first gap to the end of the last gap; 0 without a
        gap."""
        return self.gaps[-1].to_us - self.gaps[0].from_us if self.gaps else 0

    @property
    def length(self) -> Interval:
        """The duration of the outage in microseconds, without an upper end if the service did not recover."""
        if not self.gaps:
            return Interval(0, self.detection_limit_us)
        first, last = self._first_and_last_cause()
        low_us = last.to_us - last.early_right_us - first.from_us - first.early_left_us
        return Interval(max(0, low_us), None if self.censored else self.duration_us)

    def _first_and_last_cause(self) -> tuple[Gap, Gap]:
        """Return the gaps that prove the start and the end of the outage. A gap is no proof if its probes failed only
        during the next gap, or were sent before the previous gap ended. The service may have been up in such a
        gap."""
        first, last = 0, len(self.gaps) - 1
        if self.kind is OutageKind.OUTAGE:
            # No request of the first gap failed before the next gap began.
            while first < last and self.gaps[first].known_from_us > self.gaps[first + 1].from_us:
                first += 1
            # All requests of the last gap were sent before the previous gap ended.
            while last > first and self.gaps[last].last_us < self.gaps[last - 1].to_us:
                last -= 1
        return self.gaps[first], self.gaps[last]

    @property
    def edges(self) -> tuple[Span, ...]:
        """Two periods: in the first, the outage began; in the second, the outage ended. If the outage did not end,
        only the first period is returned."""
        if not self.gaps:
            return ()
        first, last = self.gaps[0], self.gaps[-1]
        begin = Span(min(first.from_us, first.first_us), max(first.from_us, first.first_us))
        return (begin, Span(last.to_us - last.early_right_us, last.to_us)) if last.closed else (begin,)

    @property
    def impaired(self) -> int:
        return sum(gap.failed + gap.late for gap in self.gaps + self.later_gaps)

    @property
    def longest_later_gap_us(self) -> int:
        return max((gap.duration_us for gap in self.later_gaps), default=0)

    @property
    def recovered(self) -> bool:
        """True if there was a stability window, and the service was up at the end of the measured period."""
        return not self.censored and all(gap.closed for gap in self.later_gaps)

    @property
    def away_at_end_us(self) -> int:
        """The minimum time, in microseconds, that the service had been down at the end of the measured period. If the
        service was up at this end: 0."""
        unclosed = [self.length] if self.censored else [gap.length for gap in self.later_gaps if not gap.closed]
        return int(longest_of(unclosed).low)

    @property
    def record(self) -> OutageRecord:
        length, gaps = self.length, self.gaps + self.later_gaps
        envelope_us = max(gap.to_us for gap in gaps) - gaps[0].from_us if gaps else 0
        return OutageRecord(
            kind=self.kind,
            low_ms=milliseconds(length.low),
            high_ms=milliseconds_if_known(length.high),
            detection_limit_ms=milliseconds(self.detection_limit_us),
            censored=self.censored,
            recovered=self.recovered,
            from_us=self.from_us,
            to_us=self.to_us,
            first_bad_us=self.gaps[0].first_us if self.gaps else None,
            envelope_ms=milliseconds(envelope_us),
            sum_of_gaps_ms=milliseconds(sum(gap.duration_us for gap in gaps)),
            # The loss-derived outage of RFC 6412 section 3.6.1.
            loss_derived_ms=None if self.interval_us is None else milliseconds(self.impaired * self.interval_us),
            impaired=self.impaired,
            interval_ms=milliseconds_if_known(self.interval_us),
            gaps=[gap.record for gap in self.gaps[:GAPS_LIMIT]],
            gap_count=len(self.gaps),
            later_gaps=[gap.record for gap in self.later_gaps[:GAPS_LIMIT]],
            later_gap_count=len(self.later_gaps),
        )


def measure_outage(
    probes: Probes,
    *,
    since_us: int,
    horizon_us: int,
    rate: float | None,
    next_event: bool = True,
    seen_from_us: int | None = None,
    usual_before_us: int | None = None,
) -> Outage:
    """Measure the outage from `since_us`, a fault or a heal, to `horizon_us`, the next planned event. `probes` are in
    the order of sending. With `next_event=False`, `horizon_us` is the end of the run, and responses after this end
    still count. `seen_from_us`: the time when the first probe was due, if probing began after `since_us`.
    `usual_before_us`: responses before this time have their usual duration (default: before `since_us`)."""
    usual = usual_us(probes, since_us if usual_before_us is None else usual_before_us)
    counted_gaps = _Section(probes, since_us, horizon_us, next_event, usual).gaps()
    due_from_us = since_us if seen_from_us is None else seen_from_us
    closing, gaps = _closing(counted_gaps), tuple(gap for gap, _ in counted_gaps)
    inside = gaps if closing is None else gaps[: closing + 1]
    return Outage(
        kind=_kind(inside),
        gaps=inside,
        censored=bool(gaps) and closing is None,
        later_gaps=gaps[len(inside) :],
        interval_us=1e6 / rate if rate else None,
        unseen=longest_unseen(probes, due_from_us, horizon_us, (gap.span for gap in gaps)),
    )


def _kind(gaps: Sequence[Gap]) -> OutageKind:
    if not gaps:
        return OutageKind.NONE
    longest_us, duration_us = max(gap.duration_us for gap in gaps), gaps[-1].to_us - gaps[0].from_us
    return OutageKind.PARTIAL if longest_us * 2 < duration_us else OutageKind.OUTAGE


def _closing(counted_gaps: Sequence[tuple[Gap, int]]) -> int | None:
    followings = [following.first_us for following, _ in counted_gaps[1:]]
    for index, (gap, good) in enumerate(counted_gaps):
        is_long = index == len(followings) or followings[index] - gap.to_us >= STABILITY_WINDOW_US
        if gap.closed and good >= CLEAN_PROBES and is_long:
            return index
    return None


class _Section:
    """The probes between two planned events. These probes ended after the first event and began before the second
    event."""

    def __init__(self, probes: Probes, since_us: int, horizon_us: int, next_event: bool, usual: int | None) -> None:
        self._since_us = since_us
        self._horizon_us = horizon_us
        self._usual_us = usual
        inside = probes.ends >= since_us
        if next_event:
            inside &= probes.starts < horizon_us
        self._probes = probes.only(inside)
        self._in_time = self._probes.ends < (horizon_us if next_event else _NEVER)
        read, proved = probes.ends[probes.good], probes.proofs[probes.good]
        order = np.argsort(read, kind="stable")
        self._read, self._proved = read[order], np.maximum.accumulate(proved[order])
        before = probes.only(probes.ends < since_us)
        alive = before.ends[before.good]
        self._alive_us = int(alive.max()) if len(alive) else None
        self._ongoing = bool(len(before)) and bool(before.impaired[np.argmax(before.ends)])

    def gaps(self) -> list[tuple[Gap, int]]:
        """Return each gap, and the number of good responses between the gap and the next series of impaired
        probes."""
        probes, runs = self._probes, self._impaired_runs()
        firsts, ends = runs[:, 0], runs[:, 1]
        followings = np.append(firsts, len(probes))[1:]
        alive, back = self._alive_before(), self._back_after()
        in_time, failed, late = (_counted(mask) for mask in (self._in_time, probes.failed, probes.late))
        down = self._down(runs, alive)
        known_from = self._first_of(probes.ends, runs)
        counted_gaps: list[tuple[Gap, int]] = []
        for first, end, following, down_us, known_from_us in zip(
            firsts.tolist(), ends.tolist(), followings.tolist(), down.tolist(), known_from.tolist(), strict=True
        ):
            if in_time[first] == in_time[end]:
                continue  # all probes failed after the next event, so the series belongs to the next event
            closed, first_us = bool(back[end] != _NEVER), int(probes.starts[first])
            to_us = int(back[end]) if closed else self._horizon_us
            from_us, early_left_us = self._begin_of(first_us, int(alive[first]), down_us, to_us)
            gap = Gap(
                from_us=from_us,
                to_us=to_us,
                first_us=first_us,
                last_us=int(probes.starts[end - 1]),
                known_from_us=known_from_us,
                early_left_us=early_left_us,
                early_right_us=self._early_right(end, following, to_us) if closed else 0,
                failed=int(failed[end] - failed[first]),
                late=int(late[end] - late[first]),
                closed=closed,
            )
            earlier = counted_gaps[-1][0] if counted_gaps else None
            if earlier and (from_us, to_us, closed) == (earlier.from_us, earlier.to_us, earlier.closed):
                gap = gap.joined_to(counted_gaps.pop()[0])
            counted_gaps.append((gap, int(in_time[following] - in_time[end])))
        return counted_gaps

    def _begin_of(self, first_us: int, alive_us: int, down_us: int, to_us: int) -> tuple[int, int]:
        """Return the start of a gap, and the microseconds after this start in which the service may still have been
        up."""
        alive = self._last_good(first_us, to_us) if alive_us == _NOT_YET or alive_us > to_us else alive_us
        if self._ongoing and (alive is None or alive < self._since_us):
            return self._since_us, 0
        from_us = min(self._since_us, first_us) if alive is None else self._proved_by(alive)
        return from_us, max(0, min(down_us, to_us) - from_us)

    def _impaired_runs(self) -> Integers:
        """Return, for each series of impaired probes, the index of its first probe and the index after its last
        probe."""
        edges = np.diff(self._probes.impaired.astype(np.int8), prepend=0, append=0)
        return np.column_stack([np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)])

    def _alive_before(self) -> Integers:
        """Return, for each probe, the time of the latest good response to any probe that was sent earlier."""
        good_ends = np.where(self._probes.good, self._probes.ends, _NOT_YET)
        first = _NOT_YET if self._alive_us is None else self._alive_us
        return np.maximum.accumulate(np.concatenate([[first], good_ends]))

    def _back_after(self) -> Integers:
        """Return, for each probe, the time of the first good response to this or a later probe. Without such a
        response before the next planned event: `_NEVER`."""
        good_ends = np.where(self._probes.good & self._in_time, self._probes.ends, _NEVER)
        return np.minimum.accumulate(np.append(good_ends, _NEVER)[::-1])[::-1]

    def _last_good(self, first_us: int, to_us: int) -> int | None:
        """Return the time of the latest good response before `to_us`. Only probes sent before `first_us` count."""
        before = np.searchsorted(self._probes.starts, first_us)
        ends = self._probes.ends[:before][self._probes.good[:before]]
        ends = ends[ends <= to_us]
        return int(ends.max()) if len(ends) else self._alive_us

    def _proved_by(self, read_us: int) -> int:
        """Return the latest time for which the responses that were read until `read_us` prove that the service was
        up."""
        return int(self._proved[np.searchsorted(self._read, read_us, side="right") - 1])

    def _down(self, runs: Integers, alive: Integers) -> Integers:
        """Return, for each series of impaired probes, the earliest time at which the service was certainly down: when
        a probe failed, or when its response was due. The due time of a probe is no proof if an earlier probe's good
        response arrived after this time: responses may arrive out of order."""
        down_from = self._probes.ends
        if self._usual_us is not None:
            due = self._probes.starts + self._usual_us
            down_from = np.where(due > alive[:-1], np.minimum(down_from, due), down_from)
        return self._first_of(down_from, runs)

    @staticmethod
    def _first_of(moments: Integers, runs: Integers) -> Integers:
        """Return, for each series of impaired probes, the earliest of its times in `moments`."""
        earliest: Integers = (
            np.minimum.reduceat(np.append(moments, _NEVER), runs.ravel())[::2] if len(runs) else runs[:, 0]
        )
        return earliest

    def _early_right(self, end: int, following: int, to_us: int) -> int:
        """Return the microseconds before `to_us` in which the service may have been up again. This period begins when
        the last impaired probe was sent. A later probe that waited unusually long, for example during a hang, also
        counts as impaired."""
        starts, unanswered = self._probes.starts, end - 1
        if self._usual_us is not None:
            later = starts[end:following]
            unanswered += int(np.searchsorted(later, self._proved_by(to_us) - PATIENCE * self._usual_us))
        return max(0, to_us - int(starts[unanswered]))


def _counted(mask: npt.NDArray[np.bool_]) -> Integers:
    """Return, for each index, the number of true values before the index."""
    return np.concatenate([[0], np.cumsum(mask)])
