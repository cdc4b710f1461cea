"""What a series of changes cost the connections that were open, and the samples of the load: in sum, and for each
change.

The unit of a hitless score is the change, not the request: one that lost anything is lossy.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from switchover.analysis.change_connections import felt_by_connections, measure_connections, of_change_sql
from switchover.analysis.change_delay import longest_caused
from switchover.analysis.change_kind import CONFIDENCE, LOST, WHOLE_BODIES, Felt, KindFigures
from switchover.analysis.change_losses import Loss, list_losses
from switchover.analysis.change_samples import measure_samples
from switchover.analysis.change_twin import TwinFigures, measure_twins
from switchover.analysis.patient_rows import PatientRows
from switchover.analysis.requests.table import Requests
from switchover.analysis.statistics import proportion_bounds
from switchover.model.interval import Interval
from switchover.rundir.change_run import ChangeRun


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeFigures:
    made: Sequence[ChangeRun]
    kinds: Sequence[KindFigures]
    by_change: Mapping[int, int]
    """Losses of each change that lost something."""
    felt: Mapping[int, Mapping[str, Felt]]
    """By the change's number; kinds of connection that felt nothing of it are left out."""
    losses: Sequence[Loss]
    """Some, in the order of time."""
    staying: int
    """Changes whose old process still had connections of ours when the next one was due."""
    lost_before: int
    """Before the first change."""
    asked_before: int
    generator_errors: int
    """Of the load's own process, before the run ended."""
    unread: int
    twins: Sequence[TwinFigures]
    """Of the clients that send again."""

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
        return longest_caused(kind.caused for kind in self.kinds if kind.caused and kind.kind not in WHOLE_BODIES)


def measure_changes(
    made: Sequence[ChangeRun],
    rows: PatientRows | None,
    end_us: int,
    *,
    samples: Requests,
    twins: PatientRows | None = None,
    unread: int = 0,
) -> ChangeFigures | None:
    """None where no change was made, or nothing felt it. `unread`: rows of samples that cannot be read."""
    fired = [change for change in made if change.from_us is not None]
    if not fired:
        return None
    kinds = measure_connections(rows, fired) if rows is not None else ()
    felt = felt_by_connections(rows, kinds, fired) if rows is not None else {}
    of_samples = measure_samples(samples, fired)
    if of_samples is not None:
        kinds = (*kinds, of_samples[0])
        for number, of_one in of_samples[1].items():
            felt.setdefault(number, {})[of_samples[0].kind] = of_one
    if not kinds:
        return None
    lost_of = {number: sum(one.lost for one in by_kind.values()) for number, by_kind in felt.items()}
    own = _of_patient_load(rows, fired[0], end_us) if rows is not None else (0, 0, 0)
    return ChangeFigures(
        made=fired,
        kinds=kinds,
        by_change={number: lost for number, lost in lost_of.items() if lost},
        felt=felt,
        losses=list_losses(rows, samples, fired),
        staying=sum(bool(change.staying) for change in fired),
        lost_before=own[0],
        asked_before=own[1],
        generator_errors=own[2],
        unread=unread + (rows.unread if rows is not None else 0),
        twins=measure_twins(twins, of_change_sql(fired)) if twins is not None else (),
    )


def _of_patient_load(rows: PatientRows, first: ChangeRun, end_us: int) -> tuple[int, int, int]:
    """Lost, and asked, before the first change; what the load itself could not do before the end of the run, which
    cuts what is under way, and that is no error."""
    lost, asked, generator = rows.store.row(
        f"SELECT count(*) FILTER ({LOST} AND end_us < {first.from_us}), count(*) FILTER (end_us < {first.from_us}), "
        f"count(*) FILTER (error = 'generator' AND end_us < {end_us - 1_000_000}) FROM {rows.table}"
    )
    return int(lost), int(asked), int(generator)
