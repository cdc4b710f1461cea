"""Consistency of the client's records: probes against their schedule, and doubled lines of the sample log."""

import numpy as np

from switchover.evidence.requests.table import Requests
from switchover.figures.accounting.ledger import make_line
from switchover.rundir.run_records import ProbeAccount
from switchover.verdict.record import Line

LASTING = "thread <> '' AND end_us > start_us"
"""SQL: requests of a named thread that are distinguished by their times."""
SLICE = 4_000_000
"""The number of lines that are compared with each other at a time."""


def own_lines(probes: Requests, load: Requests, account: ProbeAccount) -> list[Line]:
    lines = schedule_lines(probes, account)
    if load:
        again, written = doubled(load), len(load)
        lines.append(make_line("lines of the sample log", written, written - again, "itself", unaccounted=again))
    return lines


def schedule_lines(requests: Requests, account: ProbeAccount) -> list[Line]:
    """Compare the lines of `probes.jtl` with the slots that the prober reports as sent, by stream.

    A missing line leaves its slot empty, and a doubled line fills a slot twice. Both are found anywhere in the run,
    and one cannot hide the other.
    """
    lines = []
    for stream, sent in (("fresh", account.sent), ("kept", account.kept.sent if account.kept else None)):
        if sent is None:
            continue
        own, slots = requests.row(
            "SELECT count(*), count(DISTINCT intended_us) + CAST(count(*) > count(intended_us) AS INT) "
            "FROM {requests} WHERE stream = ?",
            [stream],
        )
        lines.append(
            make_line(
                f"slots of the schedule, {stream} connections",
                own,
                sent,
                "the prober's own count",
                unaccounted=own - slots + abs(sent - slots),
            )
        )
    return lines


def doubled(requests: Requests) -> int:
    """Count lines that are in the log twice.

    Two requests of one thread are never equal if they have a duration. Requests that began and ended in the same
    millisecond may be equal, because a client may be refused several times within it.
    """
    named, first_us, last_us = requests.row(
        f"SELECT count(*), min(start_us), max(start_us) FROM {{requests}} WHERE {LASTING}"
    )
    if not named:
        return 0
    step_us = (last_us - first_us) // (named // SLICE + 1) + 1
    return sum(_doubled_within(requests, at_us, at_us + step_us) for at_us in range(first_us, last_us + 1, step_us))


def _doubled_within(requests: Requests, from_us: int, to_us: int) -> int:
    """Count doubled lines in a part of the log. Numbers of lines are compared first, because this is much faster.

    Lines are compared only if two lines have the same number.
    """
    line = "start_us, end_us, thread, label"
    chosen = f"{LASTING} AND start_us >= {from_us} AND start_us < {to_us}"
    # The first 16 bits are those of the time. Most numbers are then in order, so a stable sort is fast.
    place = f"CAST((start_us - {from_us}) // {(to_us - from_us >> 16) + 1} AS UBIGINT)"
    number = f"({place} << 48) + (hash({line}) >> 16)"
    numbers = requests.arrays(f"SELECT {number} AS number FROM {{requests}} WHERE {chosen}")["number"]
    numbers.sort(kind="stable")
    if not np.any(numbers[1:] == numbers[:-1]):
        return 0
    (again,) = requests.row(f"SELECT count(*) - count(DISTINCT ({line})) FROM {{requests}} WHERE {chosen}")
    return int(again)
