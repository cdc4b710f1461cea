"""The time until clients detected that a fault had broken their connections: by a FIN, an RST or a timeout. Streams
have no timeout in a drill, so a stream that receives no packet waits until the end of the run."""

from switchover.evidence.held_rows import HeldRows
from switchover.evidence.requests.store import sql_text
from switchover.figures.changes.cost import LOST
from switchover.model.held_kind import HeldKind
from switchover.rundir.sample_log import EndedBy
from switchover.verdict.record import DeadConnections, milliseconds

DETECTED_BY = (EndedBy.FIN, EndedBy.RST, EndedBy.SILENCE)
WAITED_US = 2_000_000
"""A connection that received no message in the last 2 s of the run counts as broken, because a message is due every
200 ms."""


def measure_dead(rows: HeldRows | None, fired_us: int | None, end_us: int) -> list[DeadConnections]:
    """Count the broken connections of each kind. The list is empty if there are no held connections, or no fault."""
    if rows is None or fired_us is None:
        return []
    since = f"end_us >= {fired_us}"
    ways = ", ".join(map(sql_text, DETECTED_BY))
    ended = f"{LOST} AND ended_by IN ({ways}) AND {since}"  # after an error response, the connection is still usable
    waiting = (
        f"error = 'generator' AND {since} AND end_us >= {end_us - WAITED_US} AND end_us - start_us > {WAITED_US}"
    )
    counts_by_kind = rows.rows(
        "WITH connection AS (SELECT stream, thread, "
        f"min(end_us) FILTER ({ended}) AS lost_us, arg_min(ended_by, end_us) FILTER ({ended}) AS ended_by, "
        f"coalesce(bool_or({waiting}), false) AS waits "
        f"FROM {{requests}} GROUP BY stream, thread HAVING min(start_us) < {fired_us} AND max(end_us) >= {fired_us}) "
        "SELECT stream, count(*), count(lost_us), "
        f"count(*) FILTER (lost_us IS NOT NULL AND ended_by = '{EndedBy.FIN}'), "
        f"count(*) FILTER (lost_us IS NOT NULL AND ended_by = '{EndedBy.RST}'), "
        "count(*) FILTER (lost_us IS NULL AND waits), "
        "quantile_disc(lost_us, 0.5), max(lost_us) FROM connection GROUP BY stream"
    )
    by_kind = {
        stream: DeadConnections(
            kind=HeldKind(stream),
            open=count,
            dead=lost + untold,
            by_fin=fin,
            by_rst=rst,
            by_timeout=lost - fin - rst,
            untold=untold,
            median_ms=None if median is None else milliseconds(median - fired_us),
            longest_ms=None if longest is None else milliseconds(longest - fired_us),
        )
        for stream, count, lost, fin, rst, untold, median, longest in counts_by_kind
        if stream in set(HeldKind)
    }
    return [by_kind[kind] for kind in HeldKind if kind in by_kind]
