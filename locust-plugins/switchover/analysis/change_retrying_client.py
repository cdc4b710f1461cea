"""What the retrying clients of the pooled load, clients that send again, told of a series of changes."""

from dataclasses import dataclass

from switchover.analysis.held_rows import HeldRows


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryingClientFigures:
    """Requests of one such client, within the changes. Ours lost what it raised or sent again."""

    client: str
    requests: int
    """As its caller made them."""
    raised: int
    """Its caller was told of an error."""
    resent: int
    """Its caller was told nothing: another attempt was answered."""
    attempts: int
    """What the balancer was sent for them."""


def measure_retrying_clients(rows: HeldRows, of_change: str) -> tuple[RetryingClientFigures, ...]:
    """`of_change`: SQL, the row belongs to one of the changes."""
    counted = rows.rows(
        "SELECT split_part(thread, ' ', 1) AS client, count(*), count(*) FILTER (NOT success), "
        "count(*) FILTER (success AND attempts > 1), coalesce(sum(attempts), 0) "
        f"FROM {{requests}} WHERE {of_change} AND error <> 'generator' GROUP BY client ORDER BY client"
    )
    return tuple(
        RetryingClientFigures(client=client, requests=requests, raised=raised, resent=resent, attempts=int(attempts))
        for client, requests, raised, resent, attempts in counted
    )
