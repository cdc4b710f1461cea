"""Read request logs into a table. DuckDB reads JMeter's CSV. Logs of other programs are first converted to CSV."""

import csv
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from switchover.evidence.logs import find_format
from switchover.evidence.logs.format import Account, Format, LoggedRequest, head_of_text
from switchover.evidence.logs.unpack import unpack
from switchover.evidence.requests.columns import declare_columns, has_transaction_columns, row_sql
from switchover.evidence.requests.files import TEXT, stem_of
from switchover.evidence.requests.jtl import (
    Layout,
    few_names,
    insert_damaged,
    insert_undamaged,
    layout_of,
    whole_lines,
)
from switchover.evidence.requests.no_requests import LoggedRows
from switchover.evidence.requests.stamps import Stamps
from switchover.evidence.requests.store import Store, enum_sql, sql_text
from switchover.evidence.requests.table import TYPES, Requests
from switchover.model.errors import RunDirectoryError, SwitchoverError
from switchover.model.interval import Span
from switchover.rundir.seal import Seal, is_as_sealed


@dataclass(frozen=True, slots=True)
class HowToRead:
    """The user's settings for reading logs."""

    aliases: Mapping[str, str] = field(default_factory=dict)
    """The name of each backend and balancer; the key is its address."""
    clocks_within_us: int | None = None
    """The largest difference between the clocks of the hosts that wrote the files, in microseconds; None: unknown."""
    by_label: bool = False
    """True if each label is measured separately, in addition to all requests."""
    window: Span | None = None
    """Requests that began outside of this period are ignored. None: no request is ignored."""
    seals: Mapping[str, Sequence[Seal]] = field(default_factory=dict)
    """The seal (checksum) of each file of a run, by file name."""


@dataclass(slots=True)
class LogReader:
    """Reads several logs into one table."""

    store: Store
    table: str
    account: Account
    how: HowToRead = HowToRead()
    columns: Collection[str] = tuple(TYPES)
    parts: int = 0
    _enums: list[str] = field(default_factory=list)
    """The columns of texts that are stored as numbers, because the log has few different texts."""

    def __post_init__(self) -> None:
        columns = declare_columns((*self.columns, "reason"))
        self.store.rows(f"CREATE OR REPLACE TABLE {self.table} (part INTEGER, {columns})")

    def read(self, path: Path) -> None:
        """Read a log, and record its damage in the account. Raise RunDirectoryError if the file is not a log of
        requests."""
        with self._clear_errors(path), self.store.scratch() as folder:
            text = unpack(path, folder, self.account)
            name = stem_of(path) + TEXT
            if name in self.how.seals and not is_as_sealed(text, self.how.seals[name], may_grow=False):
                self.account.damaged.append(name)
                return
            self.account.text_bytes += text.stat().st_size
            log_format = find_format(head_of_text(text))
            if log_format is None:
                self._read_csv(text, path, folder)
            else:
                self._read_foreign(log_format, text, path, folder)
        self.account.logs.append(str(path))
        self.parts += 1

    @contextmanager
    def _clear_errors(self, path: Path) -> Iterator[None]:
        try:
            yield
        except SwitchoverError:
            raise
        except OSError as error:
            raise RunDirectoryError(
                f"cannot read {path}: {error.strerror or error} ({error.filename or self.store.place})"
            ) from error
        except self.store.error_type as error:
            problem = str(error).splitlines()[0]
            hint = f"; set TMPDIR to another folder than {self.store.place}" if "space" in problem else ""
            raise RunDirectoryError(f"cannot read {path}: {problem}{hint}") from error

    def _read_csv(self, text: Path, path: Path, folder: Path) -> None:
        account = self.account
        layout = layout_of(text, path)
        account.notes += layout.stamps.notes(path.name)
        rows = whole_lines(text, folder, account)
        self._insert(rows, path, layout)
        if not has_transaction_columns(layout.header):
            account.notes.append(
                f"{path.name}: successful Transaction Controllers, if the plan has any, are counted as requests: the "
                "log has neither responseMessage, nor dataType with URL"
            )
        logged = LoggedRows(self.store, self.table, self.parts, account, path.name)
        # In Switchover's logs, each row is a request, rows are written in batches, and times never run backwards.
        is_foreign = "start_us" not in layout.header and {"label", "thread"} <= set(self.columns)
        if is_foreign:
            logged.mark_parts()
        logged.leave_out(rows.stat().st_size)
        if is_foreign:
            logged.check_order("thread")

    def _read_foreign(self, log_format: Format, text: Path, path: Path, folder: Path) -> None:
        """Convert another program's log to a sample log, and read the sample log."""
        rows = folder / "requests.csv"
        with rows.open("w", encoding="utf-8", errors="replace", newline="") as file:
            writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
            writer.writerows(map(_row_of, log_format.read(text, self.account)))
        self.account.notes.append(f"{path.name}: read as {log_format.name}")
        if rows.stat().st_size:
            self._insert(rows, path, Layout(_LOGGED, has_header=False, delimiter=",", stamps=Stamps()))
        logged = LoggedRows(self.store, self.table, self.parts, self.account, path.name)
        logged.leave_out(text.stat().st_size)
        if log_format.ordered and "thread" in self.columns:
            logged.check_order("thread")

    def _insert(self, rows: Path, path: Path, layout: Layout) -> None:
        def insert(source: str) -> str:
            selected = row_sql(source, layout.header, self.columns, layout.stamps)
            columns = ", ".join((*self.columns, "reason"))
            return f"INSERT INTO {self.table} BY NAME SELECT {self.parts} AS part, {columns} FROM ({selected})"

        if not self.parts:
            asked = {column: name for column, name in _FEW.items() if column in self.columns}
            for column, names in few_names(rows, layout, asked).items():
                self.store.rows(f"ALTER TABLE {self.table} ALTER {column} TYPE {enum_sql(names)}")
                self._enums.append(column)
        else:
            self.store_texts()
        if not insert_undamaged(self.store, rows, layout, insert):
            self.store_texts()
            insert_damaged(self.store, rows, path, layout, self.account, insert)

    def store_texts(self) -> None:
        """Store the texts of all columns of texts as texts."""
        while self._enums:
            self.store.rows(f"ALTER TABLE {self.table} ALTER {self._enums.pop()} TYPE VARCHAR")


_FEW = {name: name for name in ("label", "backend", "balancer", "session")} | {"thread": "threadName"}
"""The columns that usually have few different texts, and their names in a log."""

_LOGGED = (
    "timeStamp", "elapsed", "success", "start_us", "end_us", "label", "responseCode", "responseMessage", "threadName",
    "URL", "bytes", "backend", "balancer", "answered_by", "logged_error",
)  # fmt: skip
"""The columns of the rows that `_row_of` returns."""


def _row_of(row: LoggedRequest) -> tuple[object, ...]:
    return (
        row.start_us // 1000, row.took_us // 1000, row.success, row.start_us, row.end_us, row.label, row.code,
        row.message, row.thread, row.url, row.nbytes, row.identity.backend, row.identity.balancer,
        row.identity.answered_by, row.error or "",
    )  # fmt: skip


def read_logs(
    store: Store,
    table: str,
    paths: Iterable[Path],
    account: Account,
    how: HowToRead | None = None,
    columns: Collection[str] = tuple(TYPES),
) -> Requests:
    """Read the rows of all logs into one table. `columns`: the columns of this table."""
    reader = LogReader(store, table, account, how or HowToRead(), columns)
    for path in paths:
        reader.read(path)
    if reader.how.aliases:
        reader.store_texts()
        aliases = ", ".join(f"({sql_text(text)}, {sql_text(name)})" for text, name in reader.how.aliases.items())
        known = f"(VALUES {aliases}) AS known(text, name)"
        for column in {"backend", "balancer"} & set(columns):
            store.rows(f"UPDATE {table} SET {column} = known.name FROM {known} WHERE {column} = known.text")
    return Requests(store, table, columns)
