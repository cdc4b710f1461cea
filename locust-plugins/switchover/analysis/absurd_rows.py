"""Rows of a log whose times cannot be: a request that took months, or of another century than all others.

One such row would be the longest stretch without an answer, and hide the outage of the log.
"""

from switchover.analysis.clock_jumps import utc
from switchover.analysis.logs.account import Account
from switchover.analysis.requests.table import Requests

ABSURD = "times that cannot be"
LONGEST_US = 86_400_000_000
"""A day. A request may take longer only in a log that goes on for longer."""
FARTHEST_US = 10 * 365 * LONGEST_US
"""Ten years from the middle row of a log: no test lasts so long, and a clock that was never set says 1970."""


def leave_out_absurd_rows(samples: Requests, account: Account) -> None:
    """Removes them, and accounts for each."""
    spans = samples.rows(
        "SELECT part, count(*), min(start_us), max(start_us), max(end_us - start_us) FROM {requests} GROUP BY part "
        "ORDER BY part"
    )
    for part, rows, first_us, last_us, longest_us in spans:
        if longest_us > LONGEST_US or last_us - first_us > FARTHEST_US:
            _leave_out(samples, part, rows, account)


def _leave_out(samples: Requests, part: int, rows: int, account: Account) -> None:
    # One of the rows, and of two in the middle the later: a clock that was never set is behind.
    (middle_us,) = samples.row(
        f"SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY start_us DESC) FROM {{requests}} WHERE part = {part}"
    )
    is_far = f"abs(start_us - {middle_us}) > {FARTHEST_US}"
    (lasted_us,) = samples.row(
        f"SELECT max(start_us) - min(start_us) FROM {{requests}} WHERE part = {part} AND NOT ({is_far})"
    )
    absurd = f"part = {part} AND ({is_far} OR end_us - start_us > {max(LONGEST_US, lasted_us)})"
    found = samples.rows(
        f"SELECT CAST(label AS VARCHAR), start_us, end_us - start_us, count(*) OVER () FROM {{requests}} "
        f"WHERE {absurd} ORDER BY end_us - start_us DESC, rowid LIMIT 1"
    )
    for label, start_us, took_us, number in found:
        took = f"took {took_us / LONGEST_US:,.0f} days" if took_us > LONGEST_US else f"is of {utc(start_us)} UTC"
        account.notes.append(
            f"{account.logs[part]}: {number:,} rows whose times cannot be are left out: one of {label!r} {took}"
        )
        account.add(ABSURD, number, nbytes=account.text_bytes // rows * number)
        samples.store.rows(f"DELETE FROM {samples.source} WHERE {absurd}")
        samples.forget_length()
