"""The losses and delays of held connections and samples, for each change and summed over all changes."""

from collections.abc import Sequence
from typing import NamedTuple

from switchover.evidence.held_rows import HeldRows
from switchover.evidence.requests.table import Requests
from switchover.figures.changes.connections import measure_connections, of_change_sql
from switchover.figures.changes.cost import CONFIDENCE, Cost, first_losses
from switchover.figures.changes.samples import measure_samples
from switchover.model.interval import longest_of
from switchover.model.statistics import proportion_bounds
from switchover.rundir.run_directory import ChangeRun
from switchover.verdict.record import Change, Changes, RetryingClient, milliseconds_if_known


class ChangeFigures(NamedTuple):
    record: Changes
    lost_before: int
    """The number of losses of held connections before the first change."""
    asked_before: int
    """The number of requests on held connections before the first change."""
    generator_errors: int
    """The number of errors inside the load generator on held connections, before the last second of the run."""
    unread: int
    """The number of records of samples and held connections that could not be read."""

    def lossy_bounds(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        return proportion_bounds(self.record.lossy, self.record.made, confidence)


def measure_changes(
    made: Sequence[ChangeRun],
    rows: HeldRows | None,
    end_us: int,
    *,
    samples: Requests,
    retrying_clients: HeldRows | None = None,
    unread: int = 0,
) -> ChangeFigures | None:
    """Measure the losses and delays that the changes caused. Return None if no change was made, or if no request was
    recorded."""
    fired = [change for change in made if change.from_us is not None]
    if not fired:
        return None
    held = measure_connections(rows, fired, end_us) if rows is not None else Cost()
    load = measure_samples(samples, fired)
    kinds = [*held.kinds, *load.kinds]
    if not kinds:
        return None
    numbers = [change.number for change in fired]
    felt = {number: {**held.felt.get(number, {}), **load.felt.get(number, {})} for number in numbers}
    lost_of = {number: sum(cost.lost for cost in by_kind.values()) for number, by_kind in felt.items()}
    lossy = sum(lost > 0 for lost in lost_of.values())
    low, high = proportion_bounds(lossy, len(fired), CONFIDENCE)
    caused = [*held.caused, *load.caused]
    delay = longest_of(caused) if caused else None
    record = Changes(
        made=len(fired),
        lost=sum(kind.lost for kind in kinds),
        lossy=lossy,
        lossy_low=round(low, 9),
        lossy_high=round(high, 9),
        confidence=CONFIDENCE,
        lingering=sum(bool(change.lingering) for change in fired),
        delay_low_ms=milliseconds_if_known(delay.low if delay else None),
        delay_high_ms=milliseconds_if_known(delay.high if delay else None),
        retrying_clients=measure_retrying_clients(retrying_clients, of_change_sql(fired))
        if retrying_clients is not None
        else [],
        kinds=kinds,
        by_change=[
            Change(
                number=change.number,
                from_us=change.from_us,
                confirmed_us=change.confirmed_us,
                settled_us=change.settled_us,
                lingering=list(change.lingering),
                lost=lost_of[change.number],
                felt=felt[change.number],
            )
            for change in fired
        ],
        losses=first_losses([*held.losses, *load.losses]),
    )
    return ChangeFigures(
        record=record,
        lost_before=held.lost_before,
        asked_before=held.asked_before,
        generator_errors=held.generator_errors,
        unread=unread + (rows.unread if rows is not None else 0),
    )


def measure_retrying_clients(rows: HeldRows, of_change: str) -> list[RetryingClient]:
    """Count the requests of each retrying client during changes. `of_change`: SQL that selects the requests during
    changes."""
    counted = rows.rows(
        "SELECT split_part(thread, ' ', 1) AS client, count(*), count(*) FILTER (NOT success), "
        "count(*) FILTER (success AND attempts > 1), coalesce(sum(attempts), 0) "
        f"FROM {{requests}} WHERE {of_change} AND error <> 'generator' GROUP BY client ORDER BY client"
    )
    return [
        RetryingClient(client=client, requests=requests, raised=raised, resent=resent, attempts=int(attempts))
        for client, requests, raised, resent, attempts in counted
    ]
