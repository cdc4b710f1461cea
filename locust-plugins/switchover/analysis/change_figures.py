"""What a series of changes cost the connections that were open: for each kind, and for each change.

The unit of a hitless score is the change, not the request: one that lost anything is lossy.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from switchover.analysis.change_delay import Delay, measure_delay
from switchover.analysis.change_twin import TwinFigures, measure_twin
from switchover.analysis.patient_rows import PatientRows
from switchover.analysis.statistics import proportion_bounds
from switchover.model.failure_kind import FailureKind
from switchover.model.interval import Interval
from switchover.model.patient_kind import PatientKind
from switchover.rundir.change_run import ChangeRun

CONFIDENCE = 0.95
LOSSES_LISTED = 10
LOST = f"NOT success AND error <> '{FailureKind.GENERATOR}'"
"""SQL: a request, a message or a stream that a client has lost. What its own process could not do is none."""
POLITE = "success AND ended_by <> ''"
"""SQL: a connection that was closed when nothing was under way, or that had said before that it would end."""
WHOLE_BODIES = frozenset({PatientKind.DOWNLOAD, PatientKind.UPLOAD})
"""Kinds whose requests last by design: that one took a little longer is no delay that a user would name."""


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


@dataclass(frozen=True, slots=True)
class Felt:
    """What one kind of connection felt of one change."""

    lost: int = 0
    closed_politely: int = 0
    longest_us: int | None = None
    """The longest wait of what ended within the change; None: nothing did."""
    delayed: bool = False
    """That is above the same percentile between the changes."""


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
    felt: Mapping[int, Mapping[PatientKind, Felt]]
    """By the change's number; kinds that felt nothing of it are left out."""
    losses: Sequence[Loss]
    """Some, in the order of time: the first of each kind, then the second of each, and so on."""
    staying: int
    """Changes whose old process still had connections of ours when the next one was due."""
    lost_before: int
    """Before the first change."""
    asked_before: int
    generator_errors: int
    """Of the load's own process, before the run ended."""
    unread: int
    twin: TwinFigures | None = None
    """Of the client that sends again, where there was one."""

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


def measure_changes(
    made: Sequence[ChangeRun], rows: PatientRows | None, end_us: int, twin: PatientRows | None = None
) -> ChangeFigures | None:
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
            delay=measure_delay(rows, kind, fired),
        )
    lost_before, asked_before = store.row(
        f"SELECT count(*) FILTER ({LOST}), count(*) FROM {table} WHERE end_us < {first_us}"
    )
    # The end of the run cuts what is under way, and that is no error.
    (generator_errors,) = store.row(
        f"SELECT count(*) FROM {table} WHERE error = 'generator' AND end_us < {end_us - 1_000_000}"
    )
    kinds = tuple(figures[kind] for kind in PatientKind if kind in figures)
    felt = _felt(rows, kinds, fired, of_change)
    by_change = {number: sum(one.lost for one in kinds_of.values()) for number, kinds_of in felt.items()}
    return ChangeFigures(
        made=fired,
        kinds=kinds,
        by_change={number: lost for number, lost in by_change.items() if lost},
        felt=felt,
        losses=_losses(rows, fired),
        staying=sum(bool(change.staying) for change in fired),
        lost_before=lost_before,
        asked_before=asked_before,
        generator_errors=generator_errors,
        unread=rows.unread,
        twin=measure_twin(twin, of_change) if twin is not None else None,
    )


def _felt(
    rows: PatientRows, kinds: Sequence[KindFigures], fired: Sequence[ChangeRun], of_change: str
) -> dict[int, dict[PatientKind, Felt]]:
    counted = {
        (int(number), PatientKind(stream)): (int(lost), int(polite))
        for number, stream, lost, polite in rows.store.rows(
            f"SELECT change, stream, count(*) FILTER ({LOST}), count(*) FILTER ({POLITE}) FROM {rows.table} "
            f"WHERE {of_change} GROUP BY change, stream"
        )
        if stream in set(PatientKind)
    }
    found: dict[int, dict[PatientKind, Felt]] = {}
    for change in fired:
        for kind in kinds:
            lost, polite = counted.get((change.number, kind.kind), (0, 0))
            delay = kind.delay
            longest = None if delay is None else delay.by_change.get(change.number)
            delayed = delay is not None and kind.kind not in WHOLE_BODIES and change.number in delay.delayed
            if lost or polite or delayed:
                found.setdefault(change.number, {})[kind.kind] = Felt(lost, polite, longest, delayed)
    return found


def _losses(rows: PatientRows, fired: Sequence[ChangeRun]) -> tuple[Loss, ...]:
    found = rows.store.rows(
        f"SELECT stream, change, end_us, error, ended_by, position, worker, thread FROM {rows.table} WHERE {LOST} "
        "ORDER BY row_number() OVER (PARTITION BY stream ORDER BY end_us, thread), end_us, thread "
        f"LIMIT {LOSSES_LISTED}"
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
        for kind, number, at_us, error, ended_by, position, worker, place in sorted(found, key=lambda loss: loss[2])
    )
