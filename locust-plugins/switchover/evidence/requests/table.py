"""The samples of a load, or the probes, as a table for SQL."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from switchover.evidence.requests.store import Arrays, Store, sql_text

TYPES: Mapping[str, str] = {
    "start_us": "BIGINT",
    "end_us": "BIGINT",
    "intended_us": "BIGINT",
    "label": "VARCHAR",
    "code": "VARCHAR",
    "thread": "VARCHAR",
    "success": "BOOLEAN",
    "backend": "VARCHAR",
    "balancer": "VARCHAR",
    "answered_by": "VARCHAR",
    "error": "VARCHAR",
    "attempts": "BIGINT",
    "stream": "VARCHAR",
    "session": "VARCHAR",
    "nbytes": "BIGINT",
    "url": "VARCHAR",
}
"""The columns of the table. All other columns of a log are ignored, because no figure uses them. `code` is the HTTP
status; empty: none."""

COUNTED = tuple(name for name in TYPES if name not in ("nbytes", "url"))
"""The columns that are needed for a verdict."""


class Requests:
    """Rows of one relation that figures query with SQL. `part` and `rowid` together show the order of the rows in the
    logs."""

    def __init__(self, store: Store, source: str, columns: Iterable[str] = TYPES) -> None:
        self.store = store
        self.source = source
        """The relation, as written after FROM."""
        self.columns = tuple(columns)
        self._length: int | None = None

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run a query. `{requests}` in the query is replaced by the relation."""
        return self.store.rows(sql.replace("{requests}", self.source), parameters)

    def row(self, sql: str, parameters: Sequence[object] = ()) -> tuple[Any, ...]:
        return self.store.row(sql.replace("{requests}", self.source), parameters)

    def arrays(self, sql: str, parameters: Sequence[object] = ()) -> Arrays:
        return self.store.arrays(sql.replace("{requests}", self.source), parameters)

    def count(self, condition: object = "true", parameters: Sequence[object] = ()) -> int:
        """Return the number of rows that meet a condition."""
        (number,) = self.row(f"SELECT count(*) FILTER (WHERE {condition}) FROM {{requests}}", parameters)
        return int(number)

    def __len__(self) -> int:
        if self._length is None:
            (self._length,) = self.row("SELECT count(*) FROM {requests}")
        return int(self._length)


def concatenate(*tables: Requests) -> Requests:
    """Combine tables of one database into one relation. `part` is the position of a row's table among the
    arguments."""
    columns = [name for name in TYPES if all(name in table.columns for table in tables)]
    # Empty tables are left out, because a union with an empty table would convert ENUM columns to texts.
    filled = [number for number, table in enumerate(tables) if table] or [0]
    selected = f"rowid, {', '.join(columns)}"
    parts = [f"SELECT {number} AS part, {selected} FROM {tables[number].source}" for number in filled]
    return Requests(tables[0].store, f"({' UNION ALL '.join(parts)})", columns)


def new_table(store: Store, stem: str) -> Requests:
    """Create a table without rows."""
    name = store.new_name(stem)
    columns = ", ".join(f"{column} {kind}" for column, kind in TYPES.items())
    store.rows(f"CREATE OR REPLACE TABLE {name} (part INTEGER, {columns})")
    return Requests(store, name)


def sql_list(names: Iterable[str]) -> str:
    """Return names as an SQL list for IN."""
    return "(" + ", ".join(sql_text(name) for name in sorted(names)) + ")"
