"""What the twin of the pooled load, a client that sends again, told of a series of changes."""

from dataclasses import dataclass

from switchover.analysis.patient_rows import PatientRows


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinFigures:
    """Requests of urllib3 with its defaults, within the changes. Ours lost what it raised or sent again."""

    requests: int
    """As its caller made them."""
    raised: int
    """Its caller was told of an error."""
    resent: int
    """Its caller was told nothing: another attempt was answered."""
    attempts: int
    """What the balancer was sent for them."""


def measure_twin(rows: PatientRows, of_change: str) -> TwinFigures:
    """`of_change`: SQL, the row belongs to one of the changes."""
    requests, raised, resent, attempts = rows.store.row(
        f"SELECT count(*), count(*) FILTER (NOT success), count(*) FILTER (success AND attempts > 1), "
        f"coalesce(sum(attempts), 0) FROM {rows.table} WHERE {of_change} AND error <> 'generator'"
    )
    return TwinFigures(requests=int(requests), raised=int(raised), resent=int(resent), attempts=int(attempts))
