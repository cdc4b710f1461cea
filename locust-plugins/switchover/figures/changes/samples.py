"""The samples of a load that changes lost or delayed, or that were in progress when a change began."""

from collections.abc import Iterator, Sequence

import numpy as np

from switchover.evidence.requests.store import Integers
from switchover.evidence.requests.table import Requests
from switchover.figures.changes.cost import LOSSES_LISTED, LOST, Cost, make_kind
from switchover.figures.changes.delay import DELAY, Delay, change_of, delay_of, may_lose_until_us
from switchover.figures.latency import LABELS
from switchover.model.interval import longest_of
from switchover.rundir.run_directory import ChangeRun
from switchover.verdict.record import Felt, Loss, milliseconds, milliseconds_if_known

SAMPLES = "samples"
"""The name of the kind that contains all samples."""


def measure_samples(samples: Requests, fired: Sequence[ChangeRun]) -> Cost:
    """Measure the losses and delays of the samples as one kind named `samples`."""
    rows = samples.arrays(
        f"SELECT start_us, end_us, {LOST} AS lost, error = 'reset' AS reset, error = 'generator' AS generator "
        "FROM {requests}"
    )
    starts, ends, lost = rows["start_us"], rows["end_us"], rows["lost"]
    if not len(starts):
        return Cost()
    under_way, delays = _under_way(starts, ends, fired), _delays_by_label(samples, fired)
    place = change_of(starts, ends, fired, may_lose_until_us)
    within = place >= 0
    lost_of = np.bincount(place[lost & within], minlength=len(fired))
    lossy, total_lost = int((lost_of > 0).sum()), int(lost_of.sum())
    figures = make_kind(
        SAMPLES,
        exposed=int(under_way.sum()),
        lost=total_lost,
        lost_elsewhere=int(lost.sum()) - total_lost,
        lossy=lossy,
        changes=len(fired),
        closed_politely=0,
        reset=int((rows["reset"] & within).sum()),
        generator_errors=int(rows["generator"].sum()),
        delay=max(delays, key=_by_caused, default=None),
    )
    felt = {}
    for at, change in enumerate(fired):
        waits_us = (delay.by_change[change.number] for delay in delays if change.number in delay.delayed)
        wait_us = max(waits_us, default=None)
        felt[change.number] = {
            SAMPLES: Felt(
                exposed=int(under_way[at]),
                lost=int(lost_of[at]),
                closed_politely=0,
                longest_ms=milliseconds_if_known(wait_us),
                delayed=wait_us is not None,
            )
        }
    return Cost(
        kinds=[figures],
        caused=[longest_of(delay.caused for delay in delays)] if delays else [],
        felt=felt,
        losses=list(_losses(samples, fired)),
    )


def _under_way(starts: Integers, ends: Integers, fired: Sequence[ChangeRun]) -> Integers:
    begins = np.array([change.from_us for change in fired], dtype=np.int64)
    begun = np.searchsorted(np.sort(starts), begins, side="right")
    return np.asarray(begun - np.searchsorted(np.sort(ends), begins, side="left"))


def _delays_by_label(samples: Requests, fired: Sequence[ChangeRun]) -> list[Delay]:
    """Return the delay of each of the most common labels. Labels are measured separately, because their requests have
    different durations."""
    labels = samples.rows(
        f"SELECT label FROM {{requests}} WHERE success GROUP BY label ORDER BY count(*) DESC, label LIMIT {LABELS}"
    )
    delays = []
    for (label,) in labels:
        waited = samples.arrays(
            f"SELECT start_us, end_us, {DELAY} AS delay FROM {{requests}} WHERE success AND label = ?", [label]
        )
        delays.append(delay_of(waited["start_us"], waited["end_us"], waited["delay"], fired))
    return [delay for delay in delays if delay is not None]


def _by_caused(delay: Delay) -> tuple[float, float, int]:
    return delay.caused.low, delay.caused.high or 0.0, delay.longest_us


def _losses(samples: Requests, fired: Sequence[ChangeRun]) -> Iterator[tuple[int, Loss]]:
    rows = samples.rows(
        f"SELECT start_us, end_us, error, label FROM {{requests}} WHERE {LOST} "
        f"ORDER BY end_us, thread LIMIT {LOSSES_LISTED}"
    )
    starts, ends = (np.array([row[column] for row in rows], dtype=np.int64) for column in (0, 1))
    places = change_of(starts, ends, fired, may_lose_until_us)
    for rank, (place, (_, at_us, error, label)) in enumerate(zip(places, rows, strict=True), 1):
        change = fired[place] if place >= 0 else None
        loss = Loss(
            kind=SAMPLES,
            change=None if change is None else change.number,
            at_us=at_us,
            after_change_ms=None if change is None else milliseconds(at_us - (change.from_us or 0)),
            error=error,
            ended_by="",
            position=None,
            worker="",
            place=label,
        )
        yield rank, loss
