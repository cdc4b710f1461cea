"""The number of requests over time. DuckDB counts the requests, and returns one row per time interval."""

from collections.abc import Iterable
from math import log
from typing import Any, NamedTuple

from switchover.evidence.requests.columns import GOOD_OR_LATE, SENT
from switchover.evidence.requests.store import Store
from switchover.figures.latency import ranks_sql
from switchover.model.outcome import Outcome

WIDTHS_US = tuple(
    round(seconds * 1e6) for seconds in (0.2, 0.4, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600)
)
"""The possible widths of an interval, in microseconds. A minute (or, for longer widths, an hour) is a multiple of
each width."""
INTERVALS = 1000
"""The maximum number of intervals of a run, about one per pixel of a chart."""
NAMES = 12
"""The maximum number of backends, of balancers and of kinds of failure that have a separate colour in a chart."""
OTHER = "other"
NAME_LENGTH = 128
CELLS = 1 / log(1.01)
"""The number of cells of a logarithmic histogram in which the response time grows by the factor e. A cell has a width
of 1 %, so a percentile is 0 to 1 % too high."""

CELL_LIMIT = 1 << 13
"""A number above all cell numbers, including the cell of the longest possible response time."""


Latencies = dict[str, list[float | None]]
"""`p50`, `p99` and `max` of each time interval, in milliseconds; None without a response."""


class Grid(NamedTuple):
    from_us: int
    width_us: int
    size: int

    def number_of(self, column: str) -> str:
        """Return SQL for the number of the interval that contains a time, or that is nearest to the time."""
        return f"CAST(least({self.size - 1}, greatest(0, {column} - {self.from_us}) // {self.width_us}) AS INTEGER)"


def grid_of(from_us: int, to_us: int) -> Grid:
    length_us = max(1, to_us - from_us)
    width_us = next(
        (width_us for width_us in WIDTHS_US if length_us <= width_us * INTERVALS), -(-length_us // INTERVALS)
    )
    return Grid(from_us, width_us, -(-length_us // width_us))


def span_of(tables: Store) -> tuple[int, int] | None:
    """Return the first start and the last end of all probes and samples; None if there are no requests."""
    both = "(SELECT start_us, end_us FROM samples UNION ALL SELECT start_us, end_us FROM probes)"
    first_us, last_us = tables.row(f"SELECT min(start_us), max(end_us) FROM {both}")
    return None if first_us is None else (int(first_us), int(last_us))


def series_of(tables: Store, table: str, grid: Grid) -> dict[str, Any] | None:
    """Count the requests of `samples` or `probes` by the interval in which they ended; None without requests. Good
    responses are counted by backend and balancer, failed requests by kind. `from_schedule` is None if a response has
    no scheduled time."""
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
    }


def _counts(tables: Store, table: str, grid: Grid) -> Iterable[tuple[int, str, str, str, str, int, int]]:
    """Yield interval, backend, balancer, outcome and kind of failure, with the number of requests, and the number of
    requests with a scheduled time."""
    names, shown = [], []
    for column in ("backend", "balancer", "error"):
        common = _most_common(tables, table, column)
        if len(common) > NAMES:
            text = f"CAST({column} AS VARCHAR)"
            names.append(f"CASE WHEN {column} = '' OR list_contains(?, {text}) THEN {text} ELSE '{OTHER}' END")
            shown.append(common[:NAMES])
        else:
            names.append(column)  # a lookup of each name would take longer than the count
    backend, balancer, error = names
    rows = tables.rows(
        f"SELECT {grid.number_of('end_us')} AS number, {backend} AS backend, {balancer} AS balancer, outcome, "
        f"{error} AS error, count(*), count(intended_us) FROM {table} "
        f"WHERE {SENT} GROUP BY ALL",
        shown,
    )
    for number, backend_name, other, *rest in rows:
        yield number, backend_name[:NAME_LENGTH], other[:NAME_LENGTH], *rest


def _most_common(tables: Store, table: str, column: str) -> list[str]:
    ranked = (
        f"SELECT {column} FROM {table} WHERE {column} <> '' GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT {NAMES + 1}"
    )
    return [name for (name,) in tables.rows(ranked)]


def _latencies(tables: Store, table: str, grid: Grid, value: str, where: str) -> Latencies | None:
    # Interval and cell are combined in one number, because grouping by two columns is slower.
    cell = f"{grid.number_of('end_us')} * {CELL_LIMIT} + CAST(ln(greatest({value}, 0) + 1) * {CELLS} AS INTEGER)"
    cells = (
        f"(SELECT cell // {CELL_LIMIT} AS number, value, n FROM (SELECT {cell} AS cell, "
        f"greatest(max({value}), 0) AS value, count(*) AS n FROM {table} WHERE {where} GROUP BY 1))"
    )
    rows = tables.rows(ranks_sql(cells, "number", (50, 99, 100)))
    if not rows:
        return None
    columns: Latencies = {name: [None] * grid.size for name in ("p50", "p99", "max")}
    for number, _, *values in rows:
        for column, value_us in zip(columns.values(), values, strict=True):
            column[number] = int(value_us) / 1000
    return columns
