"""What a series of changes cost the connections that were open, and the samples of the load: in sum, and for each
change.

The unit of a hitless score is the change, not the request: one that lost anything is lossy.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from switchover.analysis.change_connections import measure_connections, of_change_sql
from switchover.analysis.change_cost import CONFIDENCE, WHOLE_BODIES, Cost, Felt, KindFigures, Loss, first_losses
from switchover.analysis.change_delay import longest_caused
from switchover.analysis.change_retrying_client import RetryingClientFigures, measure_retrying_clients
from switchover.analysis.change_samples import measure_samples
from switchover.analysis.held_rows import HeldRows
from switchover.analysis.requests.table import Requests
from switchover.analysis.statistics import proportion_bounds
from switchover.model.interval import Interval
from switchover.rundir.run_directory import ChangeRun


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
    lingering: int
    """Changes whose old process still had connections of ours when the next one was due."""
    lost_before: int
    """Before the first change."""
    asked_before: int
    generator_errors: int
    """Of the load's own process, before the run ended."""
    unread: int
    retrying_clients: Sequence[RetryingClientFigures]
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
    rows: HeldRows | None,
    end_us: int,
    *,
    samples: Requests,
    retrying_clients: HeldRows | None = None,
    unread: int = 0,
) -> ChangeFigures | None:
    """None where no change was made, or nothing felt it. `unread`: rows of samples that cannot be read."""
    fired = [change for change in made if change.from_us is not None]
    if not fired:
        return None
    of_held = measure_connections(rows, fired, end_us) if rows is not None else Cost()
    of_samples = measure_samples(samples, fired)
    kinds = (*of_held.kinds, *of_samples.kinds)
    if not kinds:
        return None
    felt = {
        number: {**of_held.felt.get(number, {}), **of_samples.felt.get(number, {})}
        for number in (*of_held.felt, *of_samples.felt)
    }
    lost_of = {number: sum(one.lost for one in by_kind.values()) for number, by_kind in felt.items()}
    return ChangeFigures(
        made=fired,
        kinds=kinds,
        by_change={number: lost for number, lost in lost_of.items() if lost},
        felt=felt,
        losses=first_losses([*of_held.losses, *of_samples.losses]),
        lingering=sum(bool(change.lingering) for change in fired),
        lost_before=of_held.lost_before,
        asked_before=of_held.asked_before,
        generator_errors=of_held.generator_errors,
        unread=unread + (rows.unread if rows is not None else 0),
        retrying_clients=measure_retrying_clients(retrying_clients, of_change_sql(fired))
        if retrying_clients is not None
        else (),
    )
