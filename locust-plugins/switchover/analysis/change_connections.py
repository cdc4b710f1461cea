"""What a series of changes cost the connections that the patient load kept open: by kind, and by change."""

from collections import Counter
from collections.abc import Sequence

from switchover.analysis.change_delay import measure_delay
from switchover.analysis.change_kind import CONFIDENCE, LOST, POLITE, WHOLE_BODIES, Felt, KindFigures
from switchover.analysis.patient_rows import PatientRows
from switchover.analysis.statistics import proportion_bounds
from switchover.model.patient_kind import PatientKind
from switchover.rundir.change_run import ChangeRun


def of_change_sql(fired: Sequence[ChangeRun]) -> str:
    """SQL: the row belongs to one of the changes. One that was not made after all, or is not known, has no losses."""
    return f"(change IN ({', '.join(str(change.number) for change in fired)})) IS TRUE"


def measure_connections(rows: PatientRows, fired: Sequence[ChangeRun]) -> tuple[KindFigures, ...]:
    of_change, exposed = of_change_sql(fired), Counter[str]()
    for change in fired:
        exposed.update(change.exposed)
    counted = rows.store.rows(
        f"SELECT stream, count(*) FILTER ({LOST} AND {of_change}), "
        f"count(*) FILTER ({LOST} AND NOT {of_change}), "
        f"count(DISTINCT change) FILTER ({LOST} AND {of_change}), count(*) FILTER ({POLITE} AND {of_change}), "
        f"count(*) FILTER (error = 'reset' AND {of_change}), count(*) FILTER (error = 'generator') "
        f"FROM {rows.table} GROUP BY stream"
    )
    figures = {}
    for stream, lost, elsewhere, lossy, polite, reset, generator in counted:
        if stream not in set(PatientKind):
            continue
        kind = PatientKind(stream)
        delay = measure_delay(rows, kind, fired)
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
            delay=delay,
            caused=None if delay is None else delay.caused,
        )
    return tuple(figures[kind] for kind in PatientKind if kind in figures)


def felt_by_connections(
    rows: PatientRows, kinds: Sequence[KindFigures], fired: Sequence[ChangeRun]
) -> dict[int, dict[str, Felt]]:
    """By the change's number; kinds that felt nothing of it are left out."""
    counted = {
        (int(number), stream): (int(lost), int(polite))
        for number, stream, lost, polite in rows.store.rows(
            f"SELECT change, stream, count(*) FILTER ({LOST}), count(*) FILTER ({POLITE}) FROM {rows.table} "
            f"WHERE {of_change_sql(fired)} GROUP BY change, stream"
        )
    }
    found: dict[int, dict[str, Felt]] = {}
    for change in fired:
        for kind in kinds:
            lost, polite = counted.get((change.number, kind.kind), (0, 0))
            delay = kind.delay
            longest = None if delay is None else delay.by_change.get(change.number)
            delayed = delay is not None and kind.kind not in WHOLE_BODIES and change.number in delay.delayed
            if lost or polite or delayed:
                felt = Felt(change.exposed.get(kind.kind, 0), lost, polite, longest, delayed)
                found.setdefault(change.number, {})[kind.kind] = felt
    return found
