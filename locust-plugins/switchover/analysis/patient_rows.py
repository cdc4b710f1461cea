"""The rows of a patient load as a table that SQL can ask: the columns of every request, and four of its own."""

from collections.abc import Sequence
from pathlib import Path

from switchover.analysis.requests.store import Store, sql_text
from switchover.analysis.requests.table import TYPES, Requests
from switchover.model.patient_kind import PatientKind

_MORE = {"ended_by": "VARCHAR", "position": "BIGINT", "worker": "VARCHAR", "change": "BIGINT"}
_NAMES = {"code": "responseCode", "thread": "threadName", "url": "URL", "users": "allThreads", "nbytes": "bytes"}
_STREAMS = (PatientKind.SSE, PatientKind.WEBSOCKET, PatientKind.TCP)


class PatientRows:
    """`table` stands behind FROM. A row that cannot be read is counted in `unread`."""

    def __init__(self, store: Store, table: str, unread: int) -> None:
        self.store = store
        self.table = table
        self.unread = unread

    def __len__(self) -> int:
        return int(self.store.row(f"SELECT count(*) FROM {self.table}")[0])

    @property
    def rows(self) -> Requests:
        """All of them, the messages of streams too."""
        return Requests(self.store, self.table)

    @property
    def requests(self) -> Requests:
        """Those that a balancer or a backend may have counted: of a stream its opening, not its messages."""
        streams = ", ".join(map(sql_text, _STREAMS))
        condition = f"NOT (stream IN ({streams}) AND code = '' AND position IS NOT NULL) AND stream <> 'tcp'"
        return Requests(self.store, f"(SELECT *, rowid FROM {self.table} WHERE {condition})")


def read_patient_rows(store: Store, files: Sequence[Path]) -> PatientRows | None:
    """None where there was no patient load."""
    if not files:
        return None
    name = store.new_name("patient_rows")
    names = ", ".join(sql_text(str(path)) for path in files)
    texts = f"read_csv([{names}], header = true, all_varchar = true, null_padding = true, ignore_errors = true)"
    columns = ", ".join(
        f"TRY_CAST({_column(column)} AS {kind}) AS {column}"
        if kind in ("BIGINT", "BOOLEAN")
        else f"coalesce({_column(column)}, '') AS {column}"
        for column, kind in {**TYPES, **_MORE}.items()
        if column not in ("latency_us", "connect_us")
    )
    store.rows(
        f"CREATE TABLE {name} AS SELECT {columns}, "
        "TRY_CAST(Latency AS BIGINT) * 1000 AS latency_us, TRY_CAST(Connect AS BIGINT) * 1000 AS connect_us "
        f"FROM {texts}"
    )
    whole = "start_us IS NOT NULL AND end_us IS NOT NULL AND success IS NOT NULL AND stream <> ''"
    (unread,) = store.row(f"SELECT count(*) FILTER (WHERE NOT ({whole})) FROM {name}")
    store.rows(f"DELETE FROM {name} WHERE NOT ({whole})")
    return PatientRows(store, name, int(unread))


def _column(name: str) -> str:
    return f'"{_NAMES.get(name, "sentBytes" if name == "sent_bytes" else name)}"'
