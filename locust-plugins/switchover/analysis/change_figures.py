"""What a series of changes cost the connections that were open: for each kind, and for each change.

The unit of a hitless score is the change, not the request: one that lost anything is lossy.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from switchover.analysis.patient_rows import PatientRows
from switchover.analysis.requests.store import Integers
from switchover.analysis.statistics import proportion_bounds
from switchover.model.failure_kind import FailureKind
from switchover.model.interval import Interval
from switchover.model.patient_kind import PatientKind
from switchover.rundir.change_run import ChangeRun

CONFIDENCE = 0.95
LOSSES_LISTED = 10
FELT_US = 1_000_000
"""As long as every change is looked at, at least."""
LOST = f"NOT success AND error <> '{FailureKind.GENERATOR}'"
"""SQL: a request, a message or a stream that a client has lost. What its own process could not do is none."""
POLITE = "success AND ended_by <> ''"
"""SQL: a connection that was closed when nothing was under way, or that had said before that it would end."""
DELAY = "end_us - coalesce(intended_us, start_us)"
WHOLE_BODIES = frozenset({PatientKind.DOWNLOAD, PatientKind.UPLOAD})
"""Kinds whose requests last by design: that one took a little longer is no delay that a user would name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delay:
    """Microseconds from when a request was due to the end of its answer."""

    longest_us: int
    """Of the requests that belong to a change."""
    usual: Interval
    """The same percentile of those between the changes, with its 95 % interval of order statistics. Without an end:
    there were too few of them."""

    @property
    def caused(self) -> Interval:
        """What a change added to the longest."""
        low = 0.0 if self.usual.high is None else max(0.0, self.longest_us - self.usual.high)
        return Interval(low, max(low, self.longest_us - self.usual.low))


@dataclass(frozen=True, slots=True, kw_only=True)
class KindFigures:
    """One kind of connection over all changes of a run."""

    kind: PatientKind
    exposed: int
    """Connections that were open when a change began, summed over the changes."""
    lost: int
    """That belong to a change."""
    lost_elsewhere: int
    """Before the first change, or when one had settled."""
    lossy: int
    """Changes that lost something of this kind."""
    changes: int
    lossy_bounds: tuple[float, float]
    """The share of lossy changes: one-sided bounds of 95 % each (Clopper and Pearson)."""
    closed_politely: int
    reset: int
    generator_errors: int
    delay: Delay | None
    """None: nothing of this kind ended within a change, or between changes."""

    @property
    def lost_per_thousand(self) -> float | None:
        """Of the connections that were open."""
        return 1000 * self.lost / self.exposed if self.exposed else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """One of the losses."""

    kind: str
    change: int | None
    at_us: int
    after_change_us: int | None
    """From the change's command to the loss."""
    error: str
    ended_by: str
    position: int | None
    worker: str
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeFigures:
    made: Sequence[ChangeRun]
    kinds: Sequence[KindFigures]
    by_change: Mapping[int, int]
    """Losses of each change that lost something."""
    losses: Sequence[Loss]
    """The first ones."""
    staying: int
    """Changes whose old process still had connections of ours when the next one was due."""
    lost_before: int
    """Before the first change."""
    asked_before: int
    generator_errors: int
    """Of the load's own process, before the run ended."""
    unread: int

    @property
    def lost(self) -> int:
        return sum(kind.lost for kind in self.kinds)

    @property
    def lossy(self) -> int:
        return len(self.by_change)

    def lossy_bounds(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        return proportion_bounds(self.lossy, len(self.made), confidence)

    @property
    def delay(self) -> Interval | None:
        """The longest that a change caused, of all kinds, in microseconds."""
        caused = [kind.delay.caused for kind in self.kinds if kind.delay and kind.kind not in WHOLE_BODIES]
        if not caused:
            return None
        return Interval(max(one.low for one in caused), max(one.high or 0.0 for one in caused))


def measure_changes(made: Sequence[ChangeRun], rows: PatientRows | None, end_us: int) -> ChangeFigures | None:
    """None where no change was made, or nothing felt it."""
    fired = [change for change in made if change.from_us is not None]
    if not fired or rows is None:
        return None
    store, table = rows.store, rows.table
    first_us = fired[0].from_us
    numbers = ", ".join(str(change.number) for change in fired)
    of_change = f"(change IN ({numbers})) IS TRUE"  # one that was not made after all, or is not known, has no losses
    exposed = Counter[str]()
    for change in fired:
        exposed.update(change.exposed)
    counted = store.rows(
        f"SELECT stream, count(*) FILTER ({LOST} AND {of_change}), "
        f"count(*) FILTER ({LOST} AND NOT {of_change}), "
        f"count(DISTINCT change) FILTER ({LOST} AND {of_change}), count(*) FILTER ({POLITE} AND {of_change}), "
        f"count(*) FILTER (error = 'reset' AND {of_change}), count(*) FILTER (error = 'generator') "
        f"FROM {table} GROUP BY stream"
    )
    figures = {}
    for stream, lost, elsewhere, lossy, polite, reset, generator in counted:
        if stream not in set(PatientKind):
            continue
        kind = PatientKind(stream)
        figures[kind] = KindFigures(
            kind=kind,
            exposed=exposed[kind],
            lost=lost,
            lost_elsewhere=elsewhere,
            lossy=lossy,
            changes=len(fired),
            lossy_bounds=proportion_bounds(lossy, len(fired), CONFIDENCE),
            closed_politely=polite,
            reset=reset,
            generator_errors=generator,
            delay=_delay(rows, kind, fired),
        )
    lost_before, asked_before = store.row(
        f"SELECT count(*) FILTER ({LOST}), count(*) FROM {table} WHERE end_us < {first_us}"
    )
    # The end of the run cuts what is under way, and that is no error.
    (generator_errors,) = store.row(
        f"SELECT count(*) FROM {table} WHERE error = 'generator' AND end_us < {end_us - 1_000_000}"
    )
    by_change = store.rows(f"SELECT change, count(*) FROM {table} WHERE {LOST} AND {of_change} GROUP BY change")
    return ChangeFigures(
        made=fired,
        kinds=tuple(figures[kind] for kind in PatientKind if kind in figures),
        by_change={int(number): int(count) for number, count in sorted(by_change)},
        losses=_losses(rows, fired),
        staying=sum(bool(change.staying) for change in fired),
        lost_before=lost_before,
        asked_before=asked_before,
        generator_errors=generator_errors,
        unread=rows.unread,
    )


def _delay(rows: PatientRows, kind: PatientKind, fired: Sequence[ChangeRun]) -> Delay | None:
    found = rows.store.arrays(
        f"SELECT start_us, end_us, {DELAY} AS delay FROM {rows.table} WHERE stream = ? AND success AND "
        "(attempts > 0 OR intended_us IS NOT NULL)",
        [kind.value],
    )
    begins = np.array([change.from_us for change in fired], dtype=np.int64)
    ends = np.array([_felt_until_us(change) for change in fired], dtype=np.int64)
    latest = np.searchsorted(begins, found["end_us"], side="right") - 1
    within = (latest >= 0) & (ends[latest] >= found["start_us"])
    delays: Integers = found["delay"]
    during, between = delays[within], np.sort(delays[~within])
    if not len(during) or not len(between):
        return None
    return Delay(longest_us=int(during.max()), usual=same_percentile(between, len(during)))


def _felt_until_us(change: ChangeRun) -> int:
    """Where old processes stay, what crossed the change is over `FELT_US` after its proof all the same."""
    done_us = change.undone_us or change.confirmed_us or change.to_us or change.from_us or 0
    return change.settled_us or done_us + FELT_US


def same_percentile(ranked: Integers, others: int) -> Interval:
    """Of ranked values, the percentile that the longest of `others` values is of them, with the 95 % interval that
    order statistics give it (the ranks are binomial)."""
    count, share = len(ranked), 1 - 1 / (2 * others)
    middle, width = count * share, 1.96 * math.sqrt(count * share * (1 - share))
    low, high = math.floor(middle - width), math.ceil(middle + width)
    low_value = float(ranked[min(max(low, 0), count - 1)])
    return Interval(low_value, float(ranked[high]) if high < count else None)


def _losses(rows: PatientRows, fired: Sequence[ChangeRun]) -> tuple[Loss, ...]:
    found = rows.store.rows(
        f"SELECT stream, change, end_us, error, ended_by, position, worker, thread FROM {rows.table} WHERE {LOST} "
        f"ORDER BY end_us, thread LIMIT {LOSSES_LISTED}"
    )
    begun = {change.number: change.from_us for change in fired}
    return tuple(
        Loss(
            kind=kind,
            change=number,
            at_us=at_us,
            after_change_us=None if begun.get(number) is None else at_us - (begun[number] or 0),
            error=error,
            ended_by=ended_by,
            position=position,
            worker=worker,
            place=place,
        )
        for kind, number, at_us, error, ended_by, position, worker, place in found
    )
