"""Requests over time, counted by DuckDB: a row per stretch of time leaves the database, never one per request."""

from collections.abc import Iterable
from math import log
from typing import Any

from switchover.evidence.requests.columns import GOOD_OR_LATE, SENT
from switchover.evidence.requests.store import Store
from switchover.model.outcome import Outcome
from switchover.verdict.series.grid import Grid

NAMES = 12
"""Backends, balancers and kinds of failure that are shown one by one; more colours cannot be told apart."""
OTHER = "other"
NAME_LENGTH = 128
CELLS = 1 / log(1.01)
"""Latencies are counted in cells of 1 %. A percentile is the highest value of its cell: never too low, at most 1 %
too high; exact where the values of a cell are equal."""

SAMPLED = 10_000
FAR = 10
"""Times the length of the middle 98 % of the requests, drawn from so many of them."""
CELL_LIMIT = 1 << 13
"""More cells than the longest time that microseconds can tell needs."""


Latencies = dict[str, list[float | None]]
"""`p50`, `p99` and `max` per stretch, in milliseconds; None if nothing was answered."""


def span_of(tables: Store) -> tuple[int, int] | None:
    """From the first start to the last end of all probes and samples.

    Less the few that a clock which was set has thrown far away: on an axis that goes to them nothing else is seen.
    """
    both = "(SELECT start_us, end_us FROM samples UNION ALL SELECT start_us, end_us FROM probes)"
    first_us, last_us = tables.row(f"SELECT min(start_us), max(end_us) FROM {both}")
    if first_us is None:
        return None
    (bulk,) = tables.row(
        f"SELECT quantile_disc(start_us, [0.01, 0.99]) FROM (SELECT start_us FROM {both} "
        f"USING SAMPLE reservoir({SAMPLED} ROWS) REPEATABLE (1))"
    )
    reach_us = FAR * (bulk[1] - bulk[0])
    if not reach_us:
        return int(first_us), int(last_us)
    # Where a request began says whether its clock was right; how long it took is what happened.
    near = f"start_us >= {bulk[0] - reach_us} AND start_us <= {bulk[1] + reach_us}"
    first_us, last_us = tables.row(f"SELECT min(start_us), max(end_us) FROM {both} WHERE {near}")
    return int(first_us), int(last_us)


def series_of(tables: Store, table: str, grid: Grid, *, with_users: bool = False) -> dict[str, Any] | None:
    """The requests of `samples` or `probes`, by the stretch of time in which they ended; None without a request.

    Good responses in time by backend and by balancer, failed requests by kind, latencies of good and late responses.
    `from_schedule`: None unless every response was scheduled. `lag`: how much later than due requests were sent.
    `with_users`: the log has the number of users.
    """
    backends: dict[str, list[int]] = {}
    balancers: dict[str, list[int]] = {}
    failed: dict[str, list[int]] = {}
    late = [0] * grid.size
    total = unscheduled = 0
    for number, backend, balancer, outcome, error, count, due in _counts(tables, table, grid):
        total += count
        if outcome == Outcome.FAILED:
            failed.setdefault(error or "unknown", [0] * grid.size)[number] += count
            continue
        unscheduled += count - due
        if outcome == Outcome.LATE:
            late[number] += count
        else:
            backends.setdefault(backend, [0] * grid.size)[number] += count
            balancers.setdefault(balancer, [0] * grid.size)[number] += count
    if not total:
        return None
    return {
        "backends": dict(sorted(backends.items())),
        "balancers": dict(sorted(balancers.items())),
        "late": late,
        "failed": dict(sorted(failed.items())),
        "from_send": _latencies(tables, table, grid, "end_us - start_us", GOOD_OR_LATE),
        "from_schedule": None
        if unscheduled
        else _latencies(tables, table, grid, "end_us - intended_us", GOOD_OR_LATE),
        "lag": _latencies(tables, table, grid, "start_us - intended_us", "intended_us IS NOT NULL"),
        "users": _users(tables, table, grid) if with_users else None,
    }


def _users(tables: Store, table: str, grid: Grid) -> list[float | None] | None:
    """The sum over the logs: each load generator counts its own. None where none ever counted more than one."""
    rows = tables.rows(
        f"SELECT stretch, sum(mean), max(most) FROM (SELECT {grid.number_of('end_us')} AS stretch, part, "
        f"avg(users) AS mean, max(users) AS most FROM {table} GROUP BY ALL) GROUP BY stretch"
    )
    if max((most for *_, most in rows), default=0) <= 1:
        return None
    found: list[float | None] = [None] * grid.size
    for number, mean, _ in rows:
        found[number] = round(mean, 3)
    return found


def _counts(tables: Store, table: str, grid: Grid) -> Iterable[tuple[int, str, str, str, str, int, int]]:
    """Stretch, backend, balancer, outcome and kind of failure; how many, and of how many it is known when due."""
    names, kept = [], []
    for column in ("backend", "balancer", "error"):
        common = _most_common(tables, table, column)
        if len(common) > NAMES:
            text = f"CAST({column} AS VARCHAR)"
            names.append(f"CASE WHEN {column} = '' OR list_contains(?, {text}) THEN {text} ELSE '{OTHER}' END")
            kept.append(common[:NAMES])
        else:
            names.append(column)  # to look each of them up would take longer than to count them
    backend, balancer, error = names
    rows = tables.rows(
        f"SELECT {grid.number_of('end_us')} AS stretch, {backend} AS backend, {balancer} AS balancer, outcome, "
        f"{error} AS error, count(*), count(intended_us) FROM {table} "
        f"WHERE {SENT} GROUP BY ALL",
        kept,
    )
    for number, one, other, *rest in rows:
        yield number, one[:NAME_LENGTH], other[:NAME_LENGTH], *rest


def _most_common(tables: Store, table: str, column: str) -> list[str]:
    """One more than are shown, if there are more."""
    ranked = (
        f"SELECT {column} FROM {table} WHERE {column} <> '' GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT {NAMES + 1}"
    )
    return [name for (name,) in tables.rows(ranked)]


def _latencies(tables: Store, table: str, grid: Grid, value: str, where: str) -> Latencies | None:
    # Stretch and cell are one number: to group by two takes longer.
    rows = tables.rows(
        f"""
        WITH cells AS (SELECT {grid.number_of("end_us")} * {CELL_LIMIT}
                       + CAST(ln(greatest({value}, 0) + 1) * {CELLS} AS INTEGER) AS cell,
                       greatest(max({value}), 0) AS top, count(*) AS held FROM {table} WHERE {where} GROUP BY 1),
             ranked AS (SELECT cell // {CELL_LIMIT} AS stretch, top,
                        sum(held) OVER (PARTITION BY cell // {CELL_LIMIT} ORDER BY cell) AS upto,
                        sum(held) OVER (PARTITION BY cell // {CELL_LIMIT}) AS held FROM cells)
        SELECT stretch, min(top) FILTER (upto * 100 >= held * 50), min(top) FILTER (upto * 100 >= held * 99), max(top)
        FROM ranked GROUP BY stretch
        """
    )
    if not rows:
        return None
    found: Latencies = {name: [None] * grid.size for name in ("p50", "p99", "max")}
    for number, *values in rows:
        for column, value_us in zip(found.values(), values, strict=True):
            column[number] = int(value_us) / 1000
    return found
