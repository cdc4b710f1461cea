"""Sample logs into a table: plain rows at DuckDB's speed, damaged ones through the reader that knows them."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from switchover.analysis.requests.columns import row_sql
from switchover.analysis.requests.files import GZIP, PARQUET, ignored_of, unpack
from switchover.analysis.requests.identity_from import IdentityFrom
from switchover.analysis.requests.repair import check_lines, open_log, repair_rows
from switchover.analysis.requests.store import Store, sql_text
from switchover.analysis.requests.table import TYPES, Requests
from switchover.model.errors import RunDirectoryError
from switchover.rundir.damaged_lines import CUT_OFF, LINE_LIMIT, WRONG_WIDTH, Ignored, split_row

REQUIRED = ("timeStamp", "elapsed", "success")


@dataclass(slots=True)
class LogReader:
    """Reads logs one after the other into one table; what it leaves out is counted."""

    store: Store
    table: str
    ignored: Ignored
    identity_from: IdentityFrom | None = None
    columns: Collection[str] = tuple(TYPES)
    parts: int = 0

    def __post_init__(self) -> None:
        nothing = row_sql("(SELECT '' AS c0, '' AS c1, '' AS c2)", REQUIRED, self.columns)
        self.store.rows(f"CREATE OR REPLACE TABLE {self.table} AS SELECT 0 AS part, * FROM ({nothing}) LIMIT 0")

    def read(self, path: Path) -> None:
        """Only a file that is no log of samples at all raises."""
        if path.name.endswith(PARQUET):
            self._read_parquet(path)
        elif path.name.endswith(GZIP):
            with self.store.scratch() as folder:
                unpacked = folder / "samples.jtl"
                unpack(path, unpacked, self.ignored)
                self._read_text(unpacked, path)
        else:
            self._read_text(path, path)
        self.parts += 1

    def _read_text(self, path: Path, named: Path) -> None:
        header, offset = header_of(path, named)
        look = check_lines(path, offset)
        if look.plain:
            self._insert(path, header, skip=1, tail=look.tail)
            return
        with self.store.scratch() as folder:
            mended = folder / "mended.csv"
            repair_rows(path, offset, len(header), mended, self.ignored)
            self._insert(mended, header, quote='"')

    def _read_parquet(self, path: Path) -> None:
        source = f"read_parquet({sql_text(str(path))})"
        try:
            columns = {name for name, *_ in self.store.rows(f"DESCRIBE SELECT * FROM {source}")}
        except self.store.error_type as error:
            raise RunDirectoryError(f"{path} is no Parquet file: {str(error).splitlines()[0]}") from error
        lacking = [name for name in TYPES if name not in columns]
        if lacking:
            raise RunDirectoryError(
                f"{path} is no sample log: it lacks the column {lacking[0]}; 'switchover convert' writes one"
            )
        self.store.rows(
            f"INSERT INTO {self.table} SELECT {self.parts}, {', '.join(self.columns)}, NULL FROM {source}"
        )
        for reason, number in ignored_of(self.store, path).items():
            self.ignored.add(reason, number)

    def _insert(
        self, path: Path, header: Sequence[str], *, skip: int = 0, quote: str = "", tail: bytes = b""
    ) -> None:
        rejects = self.store.new_name("rejects")
        texts = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(header)))
        source = (
            f"read_csv({sql_text(str(path))}, auto_detect=false, header=false, skip={skip}, delim=',', "
            f"quote='{quote}', escape='{quote}', new_line='\\n', nullstr='', null_padding=false, strict_mode=true, "
            f"columns={{{texts}}}, max_line_size={2 * LINE_LIMIT}, store_rejects=true, rejects_limit=0, "
            f"rejects_table='{rejects}', rejects_scan='{rejects}_scan')"
        )
        rows = row_sql(source, header, self.columns, self.identity_from)
        self.store.rows(f"INSERT INTO {self.table} SELECT {self.parts}, * FROM ({rows})")
        (rejected,) = self.store.row(f"SELECT count(DISTINCT line) FROM {rejects}")
        self.store.rows(f"DROP TABLE {rejects}; DROP TABLE {rejects}_scan")
        if tail:
            self.ignored.add(CUT_OFF)
            if tail.count(b",") == len(header) - 1:
                self.store.rows(f"DELETE FROM {self.table} WHERE rowid = (SELECT max(rowid) FROM {self.table})")
            else:
                rejected -= 1
        self.ignored.add(WRONG_WIDTH, rejected)
        self._leave_out()

    def _leave_out(self) -> None:
        reasons = self.store.rows(
            f"SELECT reason, count(*) FROM {self.table} WHERE reason IS NOT NULL GROUP BY reason ORDER BY min(rowid)"
        )
        for reason, number in reasons:
            self.ignored.add(reason, number)
        if reasons:
            self.store.rows(f"DELETE FROM {self.table} WHERE reason IS NOT NULL")


def read_logs(
    store: Store,
    table: str,
    paths: Iterable[Path],
    ignored: Ignored,
    identity_from: IdentityFrom | None = None,
    columns: Collection[str] = tuple(TYPES),
) -> Requests:
    """The rows of all logs together. `columns`: what is asked of them."""
    reader = LogReader(store, table, ignored, identity_from, columns)
    for path in paths:
        reader.read(path)
    return Requests(store, table, columns)


def header_of(path: Path, named: Path) -> tuple[list[str], int]:
    """The names of a log's columns, and where its rows begin. `named`: the path that messages name."""
    with open_log(path) as file:
        try:
            line = file.readline(LINE_LIMIT)
        except OSError as error:
            raise RunDirectoryError(f"cannot read {named}: {error.strerror}") from error
    if line.lstrip(b"\xef\xbb\xbf \t").startswith(b"<"):
        raise RunDirectoryError(
            f"{named} is no sample log but XML: JMeter writes CSV with jmeter.save.saveservice.output_format=csv; "
            "an old file can be saved as CSV by opening it in a listener of JMeter"
        )
    if not line.endswith(b"\n"):
        raise RunDirectoryError(f"{named} has no header line: a sample log starts with its column names")
    columns = split_row(line[:-1].decode("utf-8-sig", "replace").rstrip("\r")) or []
    missing = [name for name in REQUIRED if name not in columns]
    if missing:
        start = line[:60].decode("utf-8", "replace").rstrip("\n")
        raise RunDirectoryError(
            f"{named} is no sample log: its header lacks {', '.join(missing)} and begins {start!r}; "
            "JMeter writes one with jmeter.save.saveservice.output_format=csv and print_field_names=true"
        )
    return columns, len(line)
