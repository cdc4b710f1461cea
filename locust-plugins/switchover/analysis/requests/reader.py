"""Request logs into a table: plain rows at DuckDB's speed, damaged and foreign ones as a repaired copy."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice, pairwise
from pathlib import Path

from switchover.analysis.logs import find_format
from switchover.analysis.logs.account import Account
from switchover.analysis.logs.aggregates import find_refusal
from switchover.analysis.logs.format import Format, head_of_text
from switchover.analysis.logs.unpack import PARQUET_MAGIC, head_of, unpack
from switchover.analysis.requests.columns import (
    NO_NUMBER,
    SAMPLE_COUNT,
    declare_columns,
    row_sql,
    tells_transactions,
)
from switchover.analysis.requests.files import TEXT, add_account_of, stem_of
from switchover.analysis.requests.given import GIVEN, GIVEN_BLOCK, arrays_of, given_sql
from switchover.analysis.requests.identity_from import IdentityFrom
from switchover.analysis.requests.jtl import Layout, layout_of, sections_of
from switchover.analysis.requests.no_requests import LoggedRows
from switchover.analysis.requests.repair import copy_part, read_tail, repair_rows
from switchover.analysis.requests.store import Store, sql_text
from switchover.analysis.requests.table import TYPES, Requests
from switchover.model.errors import RunDirectoryError, SwitchoverError
from switchover.rundir.damaged_lines import CUT_OFF, LINE_LIMIT, WRONG_WIDTH
from switchover.rundir.seal import Seal, find_damage, read_pieces

BUFFER = 16 * LINE_LIMIT
"""Bytes that are read at a time. DuckDB would take twice as many, which costs memory and saves no time."""


@dataclass(frozen=True, slots=True)
class HowToRead:
    """What a user says of logs that they do not say themselves."""

    identity_from: IdentityFrom | None = None
    """Where a log names who answered."""
    columns: Sequence[str] = ()
    """Of a log without a header."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Names by address: of backends and balancers."""
    time_form: str = ""
    """Of the dates of JMeter's CSV, as strptime has it."""
    clocks_within_us: int | None = None
    """The clocks of all files agree within this time; None: nothing is known of that."""
    by_label: bool = False
    """Labels are measured one by one, too."""
    seals: Mapping[str, Sequence[Seal]] = field(default_factory=dict)
    """Of the files of a run, by their names."""


@dataclass(slots=True)
class LogReader:
    """Reads logs one after the other into one table."""

    store: Store
    table: str
    account: Account
    how: HowToRead = HowToRead()
    columns: Collection[str] = tuple(TYPES)
    parts: int = 0

    def __post_init__(self) -> None:
        columns = declare_columns((*self.columns, "reason"))
        self.store.rows(f"CREATE OR REPLACE TABLE {self.table} (part INTEGER, {columns})")

    def read(self, path: Path) -> None:
        """Raises where a file is no log of requests at all; what is damaged goes into the account."""
        with self._clear_errors(path):
            if head_of(path).startswith(PARQUET_MAGIC):
                self._hold_against_seals(path.name, path)
                self._read_parquet(path)
            else:
                with self.store.scratch() as folder:
                    text = unpack(path, folder, self.account)
                    self._hold_against_seals(stem_of(path) + TEXT, text)
                    self.account.text_bytes += text.stat().st_size
                    self._read_text(text, path, folder)
        self._begin_next_part(path)

    def _hold_against_seals(self, name: str, file: Path) -> None:
        """A log of a run has the bytes that its writer sealed."""
        seals = self.how.seals.get(name)
        damage = find_damage(name, read_pieces(file), seals, may_grow=False) if seals else None
        self.account.broken_seals += [damage] if damage else []

    def _begin_next_part(self, path: Path) -> None:
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
            hint = f"; TMPDIR names another folder than {self.store.place}" if "space" in problem else ""
            raise RunDirectoryError(f"cannot read {path}: {problem}{hint}") from error

    def _read_text(self, text: Path, path: Path, folder: Path) -> None:
        head = head_of_text(text)
        refusal = find_refusal(head)
        if refusal is not None:
            raise RunDirectoryError(f"{path} {refusal}")
        found = find_format(head)
        if found is not None:
            self._read_foreign(found, text, path)
            return
        layout = layout_of(text, path, self.how.columns, self.how.time_form)
        note = layout.stamps.note(path.name)
        if note:
            self.account.notes.append(note)
        self.account.has_local_times |= layout.stamps.is_local
        if self._insert_plain(text, layout, path):
            return
        sections = sections_of(text, layout)
        if sections:
            self._read_sections(text, sections, path, folder)
        else:
            repaired = folder / "repaired.csv"
            repair_rows(text, layout, repaired, self.account)
            self._insert_quoted(repaired, layout, path)

    def _read_sections(self, text: Path, begins: Sequence[int], path: Path, folder: Path) -> None:
        """Each as a log of its own: it begins with another header."""
        self.account.notes.append(f"{path.name}: {len(begins) + 1} logs stand in it, each under another header")
        for number, (begin, end) in enumerate(pairwise([0, *begins, text.stat().st_size])):
            if number:
                self._begin_next_part(path)
            section = folder / f"section-{number}"
            copy_part(text, section, begin, end)
            self._read_text(section, path, folder)

    def _read_foreign(self, found: Format, text: Path, path: Path) -> None:
        """Block by block, so that no more of a log is kept than one block."""
        places = dict(GIVEN) | {
            name: f"further_{number}" for number, name in enumerate(found.further(head_of_text(text)))
        }
        source = given_sql(places, self.how.identity_from)
        requests = found.read(text, self.account)
        while block := list(islice(requests, GIVEN_BLOCK)):
            self.store.insert(self._insert(source), arrays_of(block))
        self.account.notes.append(f"{path.name}: read as {found.name}")
        rows = LoggedRows(self.store, self.table, self.parts, self.account, path.name)
        rows.leave_out(text.stat().st_size)
        if found.ordered and "thread" in self.columns:
            rows.check_order("thread")

    def _insert(self, source: str) -> str:
        """`source`: SQL with all columns and the `reason`."""
        return (
            f"INSERT INTO {self.table} BY NAME SELECT {self.parts} AS part, {', '.join(self.columns)}, reason "
            f"FROM ({source})"
        )

    def _read_parquet(self, path: Path) -> None:
        source = f"read_parquet({sql_text(str(path))})"
        kinds = {name: kind for name, kind, *_ in self.store.rows(f"DESCRIBE SELECT * FROM {source}")}
        wrong = next((name for name, kind in TYPES.items() if kinds.get(name) != kind), None)
        if wrong is not None:
            raise RunDirectoryError(f"{path} is no sample log: its column {wrong} is {kinds.get(wrong, 'missing')}")
        self.store.rows(self._insert(f"SELECT *, CAST(NULL AS VARCHAR) AS reason FROM {source}"))
        add_account_of(self.store, path, self.account)

    def _insert_plain(self, text: Path, layout: Layout, path: Path) -> bool:
        """False, and nothing is inserted, if a line is not plain or is another header."""
        tail = read_tail(text, layout.offset)
        if tail is None:
            return False
        skip = int(layout.offset > 0)
        rejects = self.store.new_name("rejects")
        self.store.rows(self._insert_sql(text, layout, skip, rejects))
        if self._has_strange_rows(rejects) and sections_of(text, layout):
            self.store.rows(f"DELETE FROM {self.table} WHERE part = {self.parts}")
            self._drop(rejects)
            return False
        self._settle_rows(text, layout, path, skip, rejects, tail)
        return True

    def _has_strange_rows(self, rejects: str) -> bool:
        """Rows of which one may be a header: its names are no numbers."""
        (found,) = self.store.row(
            f"SELECT (SELECT count(*) FROM {rejects}) + "
            f"(SELECT count(*) FROM {self.table} WHERE part = {self.parts} AND reason = '{NO_NUMBER}')"
        )
        return bool(found)

    def _insert_quoted(self, rows: Path, layout: Layout, path: Path) -> None:
        rejects = self.store.new_name("rejects")
        self.store.rows(self._insert_sql(rows, layout, 0, rejects, quoting='"'))
        self._settle_rows(rows, layout, path, 0, rejects)

    def _insert_sql(self, rows: Path, layout: Layout, skip: int, rejects: str, quoting: str = "") -> str:
        """What is no row goes to the table `rejects`."""
        source = (
            f"{_csv_sql(rows, layout, skip, quoting)}, store_rejects=true, rejects_limit=0, "
            f"rejects_table='{rejects}', rejects_scan='{rejects}_scan')"
        )
        selected = row_sql(source, layout.header, self.columns, self.how.identity_from, layout.stamps)
        return self._insert(selected)

    def _drop(self, rejects: str) -> None:
        self.store.rows(f"DROP TABLE IF EXISTS {rejects}; DROP TABLE IF EXISTS {rejects}_scan")

    def _settle_rows(
        self, rows: Path, layout: Layout, path: Path, skip: int, rejects: str, tail: bytes = b""
    ) -> None:
        """Account for what is no request, and leave it out."""
        rejected, lost = self.store.row(
            f"SELECT count(*), coalesce(sum(length + 1), 0) FROM "
            f"(SELECT line, max(strlen(csv_line)) AS length FROM {rejects} GROUP BY line)"
        )
        self._drop(rejects)
        if tail:
            self.account.add(CUT_OFF)
            if tail.count(layout.delimiter.encode()) == len(layout.header) - 1:
                self.store.rows(f"DELETE FROM {self.table} WHERE rowid = (SELECT max(rowid) FROM {self.table})")
            else:
                rejected, lost = rejected - 1, lost - len(tail) - 1
        self.account.add(WRONG_WIDTH, rejected, nbytes=lost)
        if not tells_transactions(layout.header):
            self.account.notes.append(
                f"{path.name}: without responseMessage, or dataType and URL, good Transaction Controllers cannot be "
                "told from requests: where the plan has some, they are counted"
            )
        if SAMPLE_COUNT in layout.header:
            self._tell_means(rows, layout, skip, path)
        logged = LoggedRows(self.store, self.table, self.parts, self.account, path.name)
        # In our own logs each part is a request, and rows are written in batches by a clock that is never set.
        is_foreign = "start_us" not in layout.header and {"label", "thread"} <= set(self.columns)
        if is_foreign:
            logged.mark_parts()
        logged.leave_out(rows.stat().st_size)
        if is_foreign:
            logged.check_order("thread")

    def _tell_means(self, path: Path, layout: Layout, skip: int, named: Path) -> None:
        """Rows of many samples have the mean of their times, and the time of the last of them."""
        (many,) = self.store.row(
            f"SELECT count(*) FILTER (WHERE try_cast(c{list(layout.header).index(SAMPLE_COUNT)} AS BIGINT) > 1) "
            f"FROM {_csv_sql(path, layout, skip, chr(34))}, ignore_errors=true)"
        )
        if many:
            self.account.damage.append(
                f"{named.name}: {many:,} rows stand for several samples each ({SAMPLE_COUNT}): they are counted, but "
                "their times and latencies are means"
            )


def _csv_sql(path: Path, layout: Layout, skip: int, quoting: str) -> str:
    """Reads texts c0, c1, … of a file; further options and the closing parenthesis follow."""
    texts = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(layout.header)))
    return (
        f"read_csv({sql_text(str(path))}, auto_detect=false, header=false, skip={skip}, compression='none', "
        f"delim={sql_text(layout.delimiter)}, quote='{quoting}', escape='{quoting}', new_line='\\n', nullstr='', "
        f"null_padding=false, strict_mode=true, columns={{{texts}}}, max_line_size={2 * LINE_LIMIT}, "
        f"buffer_size={BUFFER}"
    )


def read_logs(
    store: Store,
    table: str,
    paths: Iterable[Path],
    account: Account,
    how: HowToRead | None = None,
    columns: Collection[str] = tuple(TYPES),
) -> Requests:
    """The rows of all logs together. `columns`: what is asked of them."""
    reader = LogReader(store, table, account, how or HowToRead(), columns)
    for path in paths:
        reader.read(path)
    aliases = ", ".join(f"({sql_text(text)}, {sql_text(name)})" for text, name in reader.how.aliases.items())
    for column in ("backend", "balancer"):
        if aliases and column in columns:
            known = f"(VALUES {aliases}) AS known(text, name)"
            store.rows(f"UPDATE {table} SET {column} = known.name FROM {known} WHERE {column} = known.text")
    return Requests(store, table, columns)
