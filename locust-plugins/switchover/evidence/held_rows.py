"""The rows of held connections as a table for SQL. The table has more columns than a table of requests."""

from collections.abc import Sequence
from pathlib import Path

from switchover.evidence.logs.format import Account
from switchover.evidence.requests.jtl import insert_damaged, insert_undamaged, layout_of, whole_lines
from switchover.evidence.requests.store import Store, sql_text
from switchover.evidence.requests.table import TYPES, Requests
from switchover.model.errors import RunDirectoryError
from switchover.model.held_kind import HeldKind
from switchover.rundir.sample_log import MAX_US

_MORE = {"ended_by": "VARCHAR", "position": "BIGINT", "worker": "VARCHAR", "change": "BIGINT", "latency_us": "BIGINT"}
_NAMES = {"code": "responseCode", "thread": "threadName", "url": "URL", "nbytes": "bytes", "latency_us": "Latency"}
_STREAMS = (HeldKind.SSE, HeldKind.WEBSOCKET, HeldKind.TCP)


class HeldRows(Requests):
    """All rows of the held connections, including one row for each message of a stream. `unread`: the number of rows
    that cannot be read. `damage`: reasons why the logs are not reliable."""

    def __init__(self, store: Store, source: str, unread: int, damage: Sequence[str] = ()) -> None:
        super().__init__(store, source)
        self.unread, self.damage = unread, damage

    @property
    def requests(self) -> Requests:
        """The requests that a balancer or a backend may have counted. A message of a stream is not a request."""
        streams = ", ".join(map(sql_text, _STREAMS))
        condition = f"NOT (stream IN ({streams}) AND code = '' AND position IS NOT NULL) AND stream <> 'tcp'"
        return Requests(self.store, f"(SELECT *, rowid FROM {self.source} WHERE {condition})")


def read_held_rows(store: Store, files: Sequence[Path]) -> HeldRows | None:
    """Read the logs of held connections; None without files. Raises RunDirectoryError if a file lacks a column."""
    if not files:
        return None
    name, account = store.new_name("held_rows"), Account()
    for number, path in enumerate(files):
        layout = layout_of(path, path)
        missing = {_column(column) for column in (*TYPES, *_MORE)} - set(layout.header)
        if missing:
            raise RunDirectoryError(
                f"{path} is not a log of held connections: it has no column {', '.join(sorted(missing))}"
            )
        with store.scratch() as folder:
            rows = whole_lines(path, folder, account)
            # The columns are read as texts, because DuckDB's reader fails on some values that TRY_CAST accepts.
            create = f"CREATE OR REPLACE TABLE {name}_texts AS SELECT * FROM "
            if not insert_undamaged(store, rows, layout, create.__add__):
                insert_damaged(store, rows, path, layout, account, create.__add__)
            statement = f"INSERT INTO {name}" if number else f"CREATE TABLE {name} AS"
            store.rows(f"{statement} {_typed_sql(f'{name}_texts', layout.header)}; DROP TABLE {name}_texts")
    whole = "start_us IS NOT NULL AND end_us IS NOT NULL AND success IS NOT NULL AND stream <> ''"
    (unread,) = store.row(f"SELECT count(*) FILTER (WHERE NOT ({whole})) FROM {name}")
    store.rows(f"DELETE FROM {name} WHERE NOT ({whole})")
    return HeldRows(store, name, int(unread) + account.total, account.damage)


def _typed_sql(texts: str, header: Sequence[str]) -> str:
    """Return SQL that converts each column to its type. A wrong value or an impossible time becomes NULL."""
    columns = []
    for column, kind in {**TYPES, **_MORE}.items():
        text = f"c{list(header).index(_column(column))}"
        if column == "latency_us":  # the log has milliseconds
            value = f"TRY(TRY_CAST({text} AS BIGINT) * 1000)"
        elif column.endswith("_us"):
            value = f"CASE WHEN TRY_CAST({text} AS BIGINT) BETWEEN 0 AND {MAX_US} THEN TRY_CAST({text} AS BIGINT) END"
        elif kind in ("BIGINT", "BOOLEAN"):
            value = f"TRY_CAST({text} AS {kind})"
        else:
            value = f"coalesce({text}, '')"
        columns.append(f"{value} AS {column}")
    return f"SELECT {', '.join(columns)} FROM {texts}"


def _column(name: str) -> str:
    return _NAMES.get(name, name)
