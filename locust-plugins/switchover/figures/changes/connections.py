"""The losses and delays of held connections that changes caused, by kind and by change."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from switchover.evidence.held_rows import HeldRows
from switchover.figures.changes.cost import LOSSES_LISTED, LOST, POLITE, WHOLE_BODIES, Cost, make_kind
from switchover.figures.changes.delay import DELAY, Delay, delay_of
from switchover.model.held_kind import HeldKind
from switchover.rundir.run_directory import ChangeRun
from switchover.verdict.record import Felt, Kind, Loss, milliseconds, milliseconds_if_known


def of_change_sql(fired: Sequence[ChangeRun]) -> str:
    return f"(change IN ({', '.join(str(change.number) for change in fired)})) IS TRUE"


def measure_connections(rows: HeldRows, fired: Sequence[ChangeRun], end_us: int) -> Cost:
    delays, first_us = {kind: _delay(rows, kind, fired) for kind in _kinds_of(rows)}, fired[0].from_us
    lost, asked, generator = rows.row(
        f"SELECT count(*) FILTER ({LOST} AND end_us < {first_us}), count(*) FILTER (end_us < {first_us}), "
        f"count(*) FILTER (error = 'generator' AND end_us < {end_us - 1_000_000}) FROM {{requests}}"
    )
    return Cost(
        kinds=_kinds(rows, delays, fired),
        caused=[delay.caused for kind, delay in delays.items() if delay is not None and kind not in WHOLE_BODIES],
        felt=_felt(rows, delays, fired),
        losses=list(_losses(rows, fired)),
        lost_before=int(lost),
        asked_before=int(asked),
        generator_errors=int(generator),
    )


def _kinds_of(rows: HeldRows) -> list[HeldKind]:
    streams = {stream for (stream,) in rows.rows("SELECT DISTINCT stream FROM {requests}")}
    return [kind for kind in HeldKind if kind.value in streams]


def _kinds(rows: HeldRows, delays: Mapping[HeldKind, Delay | None], fired: Sequence[ChangeRun]) -> list[Kind]:
    of_change, exposed = of_change_sql(fired), Counter[str]()
    for change in fired:
        exposed.update(change.exposed)
    counted = {
        stream: counts
        for stream, *counts in rows.rows(
            f"SELECT stream, count(*) FILTER ({LOST} AND {of_change}), "
            f"count(*) FILTER ({LOST} AND NOT {of_change}), "
            f"count(DISTINCT change) FILTER ({LOST} AND {of_change}), count(*) FILTER ({POLITE} AND {of_change}), "
            f"count(*) FILTER (error = 'reset' AND {of_change}), count(*) FILTER (error = 'generator') "
            f"FROM {{requests}} GROUP BY stream"
        )
    }
    names = ("lost", "lost_elsewhere", "lossy", "closed_politely", "reset", "generator_errors")
    return [
        make_kind(
            kind.value,
            exposed=exposed[kind],
            changes=len(fired),
            delay=delay,
            **dict(zip(names, counted[kind.value], strict=True)),
        )
        for kind, delay in delays.items()
    ]


def _delay(rows: HeldRows, kind: HeldKind, fired: Sequence[ChangeRun]) -> Delay | None:
    times = rows.arrays(
        f"SELECT start_us, end_us, {DELAY} AS delay FROM {{requests}} WHERE stream = ? AND success AND "
        "(attempts > 0 OR intended_us IS NOT NULL)",
        [kind.value],
    )
    return delay_of(times["start_us"], times["end_us"], times["delay"], fired)


def _felt(
    rows: HeldRows, delays: Mapping[HeldKind, Delay | None], fired: Sequence[ChangeRun]
) -> dict[int, dict[str, Felt]]:
    counted = {
        (int(number), stream): (int(lost), int(polite))
        for number, stream, lost, polite in rows.rows(
            f"SELECT change, stream, count(*) FILTER ({LOST}), count(*) FILTER ({POLITE}) FROM {{requests}} "
            f"WHERE {of_change_sql(fired)} GROUP BY change, stream"
        )
    }
    by_change: dict[int, dict[str, Felt]] = {}
    for change in fired:
        for kind, delay in delays.items():
            lost, polite = counted.get((change.number, kind.value), (0, 0))
            longest_us = None if delay is None else delay.by_change.get(change.number)
            delayed = delay is not None and kind not in WHOLE_BODIES and change.number in delay.delayed
            if lost or polite or delayed:
                by_change.setdefault(change.number, {})[kind.value] = Felt(
                    exposed=change.exposed.get(kind, 0),
                    lost=lost,
                    closed_politely=polite,
                    longest_ms=milliseconds_if_known(longest_us),
                    delayed=delayed,
                )
    return by_change


def _losses(rows: HeldRows, fired: Sequence[ChangeRun]) -> Iterator[tuple[int, Loss]]:
    begun = {change.number: change.from_us or 0 for change in fired}
    losses = rows.rows(
        "SELECT row_number() OVER (PARTITION BY stream ORDER BY end_us, thread) AS rank, stream, change, end_us, "
        f"error, ended_by, position, worker, thread FROM {{requests}} WHERE {LOST} QUALIFY rank <= {LOSSES_LISTED}"
    )
    for rank, kind, number, at_us, error, ended_by, position, worker, place in losses:
        loss = Loss(
            kind=kind,
            change=number,
            at_us=at_us,
            after_change_ms=milliseconds(at_us - begun[number]) if number in begun else None,
            error=error,
            ended_by=ended_by,
            position=position,
            worker=worker,
            place=place,
        )
        yield rank, loss
