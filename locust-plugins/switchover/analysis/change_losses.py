"""Some of the losses of a series of changes, one by one: what a reader looks at first."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from switchover.analysis.change_delay import change_of
from switchover.analysis.change_kind import LOST
from switchover.analysis.change_samples import SAMPLES
from switchover.analysis.patient_rows import PatientRows
from switchover.analysis.requests.table import Requests
from switchover.rundir.change_run import ChangeRun

LOSSES_LISTED = 10


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
    """The place and its connection; of a sample its label."""


def list_losses(rows: PatientRows | None, samples: Requests, fired: Sequence[ChangeRun]) -> tuple[Loss, ...]:
    """In the order of time: the first of each kind, then the second of each, and so on."""
    begun = {change.number: change.from_us or 0 for change in fired}
    ranked = [*(_of_connections(rows, begun) if rows is not None else ()), *_of_samples(samples, fired, begun)]
    chosen = sorted(ranked, key=lambda one: (one[0], one[1].at_us, one[1].place))[:LOSSES_LISTED]
    return tuple(sorted((loss for _, loss in chosen), key=lambda loss: loss.at_us))


def _of_connections(rows: PatientRows, begun: Mapping[int, int]) -> Iterator[tuple[int, Loss]]:
    """The first of each kind, with their places in its order of time."""
    found = rows.store.rows(
        "SELECT row_number() OVER (PARTITION BY stream ORDER BY end_us, thread) AS rank, stream, change, end_us, "
        f"error, ended_by, position, worker, thread FROM {rows.table} WHERE {LOST} QUALIFY rank <= {LOSSES_LISTED}"
    )
    for rank, kind, number, at_us, error, ended_by, position, worker, place in found:
        yield (
            rank,
            Loss(
                kind=kind,
                change=number,
                at_us=at_us,
                after_change_us=at_us - begun[number] if number in begun else None,
                error=error,
                ended_by=ended_by,
                position=position,
                worker=worker,
                place=place,
            ),
        )


def _of_samples(
    samples: Requests, fired: Sequence[ChangeRun], begun: Mapping[int, int]
) -> Iterator[tuple[int, Loss]]:
    found = samples.rows(
        f"SELECT start_us, end_us, error, label FROM {{requests}} WHERE {LOST} "
        f"ORDER BY end_us, thread LIMIT {LOSSES_LISTED}"
    )
    starts, ends = (np.array([row[column] for row in found], dtype=np.int64) for column in (0, 1))
    places = change_of(starts, ends, fired)
    for rank, (place, (_, at_us, error, label)) in enumerate(zip(places, found, strict=True), 1):
        number = fired[place].number if place >= 0 else None
        yield (
            rank,
            Loss(
                kind=SAMPLES,
                change=number,
                at_us=at_us,
                after_change_us=None if number is None else at_us - begun[number],
                error=error,
                ended_by="",
                position=None,
                worker="",
                place=label,
            ),
        )
