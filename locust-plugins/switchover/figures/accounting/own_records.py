"""Check the client's records: missing and duplicate probes, and duplicate lines of the sample log."""

import numpy as np

from switchover.evidence.requests.table import Requests
from switchover.figures.accounting.ledger import make_line
from switchover.rundir.run_records import ProbeAccount
from switchover.verdict.record import Line

LASTING = "thread <> '' AND end_us > start_us"
"""SQL: the request has a thread and a duration, so no other request of the thread has the same start and end."""


def own_lines(probes: Requests, load: Requests, account: ProbeAccount) -> list[Line]:
    lines = schedule_lines(probes, account)
    if load:
        again, written = doubled(load), len(load)
        lines.append(make_line("lines of the sample log", written, written - again, "itself", unaccounted=again))
    return lines


def schedule_lines(requests: Requests, account: ProbeAccount) -> list[Line]:
    """For each stream, compare the lines of `probes.jtl` with the number of probes that the prober sent. Lines and
    scheduled times (slots) are counted separately, so that a duplicate line cannot hide a missing line."""
    lines = []
    for stream, sent in (("fresh", account.sent), ("kept", account.kept.sent if account.kept else None)):
        if sent is not None:
            own, slots = requests.row(
                "SELECT count(*), count(DISTINCT intended_us) + CAST(count(*) > count(intended_us) AS INT) "
                "FROM {requests} WHERE stream = ?",
                [stream],
            )
            name, wrong = f"slots of the schedule, {stream} connections", own - slots + abs(sent - slots)
            lines.append(make_line(name, own, sent, "the prober's own count", unaccounted=wrong))
    return lines


def doubled(requests: Requests) -> int:
    """Count duplicate lines of the sample log. Requests without a duration are excluded, because a client may be
    refused twice within 1 ms."""
    # If two numbers are equal, the lines are compared.
    number = "end_us % 2147483648 * 4294967296 + CAST(hash(start_us, thread, label) >> 32 AS BIGINT)"
    numbers = requests.arrays(f"SELECT {number} AS number FROM {{requests}} WHERE {LASTING}")["number"]
    numbers.sort()
    if not np.any(numbers[1:] == numbers[:-1]):
        return 0
    lines = f"SELECT count(*) AS n FROM {{requests}} WHERE {LASTING} GROUP BY start_us, end_us, thread, label"
    return int(requests.row(f"SELECT sum(n - 1) FROM ({lines})")[0])
