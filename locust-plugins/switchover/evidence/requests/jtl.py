"""JMeter's CSV: detect the delimiter, the columns and the format of times, and read the rows as texts."""

import csv
import os
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from shutil import copy

from switchover.evidence.logs.format import Account
from switchover.evidence.requests.columns import INTEGERS, REQUIRED, integers_sql
from switchover.evidence.requests.stamps import LOOKED_AT, Stamps, stamps_of
from switchover.evidence.requests.store import Store, sql_text
from switchover.model.errors import RunDirectoryError
from switchover.rundir.damaged_lines import CUT_OFF, LINE_LIMIT, WRONG_WIDTH

DELIMITERS = (",", ";", "\t", "|", "^", "~", ":", " ")
DEFAULT = (
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,"
    "grpThreads,allThreads,URL,Latency,IdleTime,Connect"
)
"""The header with JMeter 5's default columns, for the error message about a log without a header."""
BUFFER = 8 * LINE_LIMIT
"""The number of bytes per read. DuckDB's default is four times as large, needs more memory and is not faster."""
PIECES, PIECE_BYTES = 64, 16_384
"""The sample of a log for `few_names`: the number and the size of pieces, which are spread evenly over the log."""
ROWS_PER_NAME = 10
"""If each name in the sample has at least this number of rows, further names in the log are improbable."""
_REASONS = {"MISSING COLUMNS": WRONG_WIDTH, "TOO MANY COLUMNS": WRONG_WIDTH, "INVALID ENCODING": "not UTF-8"}


@dataclass(frozen=True, slots=True)
class Layout:
    """The format of the rows of a log."""

    header: Sequence[str]
    has_header: bool
    """True if the first line is the header."""
    delimiter: str
    stamps: Stamps

    @property
    def integers(self) -> list[str]:
        """The columns with integers, such as c0."""
        is_date = self.stamps.is_date
        return [
            f"c{place}"
            for place, name in enumerate(self.header)
            if name in INTEGERS and not (is_date and name == "timeStamp")
        ]


def layout_of(path: Path, named: Path) -> Layout:
    """Detect the format of the rows of a log. `named`: the path that error messages contain."""
    with path.open("rb") as file:
        lines = list(islice(iter(lambda: file.readline(LINE_LIMIT), b""), 1 + LOOKED_AT))
    first = lines[0] if lines else b""
    text = first.rstrip(b"\n").decode("utf-8-sig", "replace")
    header, delimiter = _header_of(text)
    if header is None:
        raise RunDirectoryError(f"{named} {_why_refused(first, text)}")
    if not first.endswith(b"\n"):
        raise RunDirectoryError(f"{named} was cut off: its header line has no end, and it has no row")
    rows = (_split(line.decode("utf-8", "replace"), delimiter) for line in lines[1:])
    times = [row[header.index("timeStamp")] for row in rows if len(row) == len(header)]
    stamps = stamps_of(times)
    if stamps is None:
        raise RunDirectoryError(
            f"{named} has times such as {next(filter(str.strip, times))!r}: convert them to milliseconds since 1970 "
            "or to ISO 8601"
        )
    return Layout(header, has_header=True, delimiter=delimiter, stamps=stamps)


def _header_of(text: str) -> tuple[list[str] | None, str]:
    for delimiter in DELIMITERS:
        names = [name.strip() for name in _split(text, delimiter)]
        if set(REQUIRED) <= set(names):
            return names, delimiter
    return None, ","


def _split(text: str, delimiter: str) -> list[str]:
    """Return the fields of a line. The list is empty if the line has wrong quotes."""
    try:
        return next(csv.reader([text], delimiter=delimiter), [])
    except csv.Error:
        return []


def _why_refused(first: bytes, text: str) -> str:
    if not first:
        return "is empty: it has no header line"
    if {"true", "false"} & {field.lower() for delimiter in DELIMITERS for field in _split(text, delimiter)}:
        return f"has no header line: write the names of its columns into the first line, such as {DEFAULT}"
    return (
        f"is not a log in a known format: it begins with {text[:60]!r}. JMeter's header has {', '.join(REQUIRED)} "
        "(print_field_names=true). docs/logs.md lists all formats and compressions"
    )


def whole_lines(path: Path, folder: Path, account: Account) -> Path:
    """Return the log itself, or a copy in `folder` without the last line if the last line is incomplete."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - LINE_LIMIT))
        end = file.read()
    cut = len(end) - 1 - end.rfind(b"\n") if b"\n" in end else 0
    if not cut:
        return path
    account.add(CUT_OFF)
    copy(path, folder / "whole-lines")
    os.truncate(folder / "whole-lines", size - cut)
    return folder / "whole-lines"


def few_names(path: Path, layout: Layout, columns: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the columns that probably have few different texts in the whole log, and these texts. `columns`: the
    log's column for each column of a table. The texts are found in a sample, so the log may have more."""
    size, rows = path.stat().st_size, list[list[str]]()
    with path.open("rb") as file:
        for start in range(0, size, max(PIECE_BYTES, size // PIECES)):
            file.seek(start)
            lines = file.read(PIECE_BYTES).split(b"\n")[1:-1]
            rows += [_split(line.decode("utf-8", "replace"), layout.delimiter) for line in lines]
    found = {}
    for column, name in columns.items():
        place = layout.header.index(name) if name in layout.header else None
        counts = Counter(row[place] for row in rows if len(row) == len(layout.header)) if place is not None else {}
        if all(count >= ROWS_PER_NAME for count in counts.values()):
            found[column] = sorted({"", *counts})
    return found


def _read_csv_sql(path: Path, layout: Layout, integers: Collection[str], more: str) -> str:
    """Return SQL that reads the fields c0, c1, … of a log's rows."""
    kinds = ", ".join(
        f"'c{place}': '{'BIGINT' if f'c{place}' in integers else 'VARCHAR'}'" for place in range(len(layout.header))
    )
    return (
        f"read_csv({sql_text(str(path))}, auto_detect=false, header=false, skip={int(layout.has_header)}, "
        f"compression='none', delim={sql_text(layout.delimiter)}, quote='\"', escape='\"', nullstr='', "
        f"null_padding=false, max_line_size={2 * LINE_LIMIT}, buffer_size={BUFFER}, columns={{{kinds}}}, {more})"
    )


def insert_undamaged(store: Store, path: Path, layout: Layout, insert: Callable[[str], str]) -> bool:
    """Insert the rows of a log into a table; return False if a line cannot be read. `insert` takes SQL that yields
    the fields c0, c1, … of a row, and returns the INSERT statement. DuckDB reads integers faster than texts, but
    stops at the first damaged line."""
    try:
        store.rows(insert(_read_csv_sql(path, layout, layout.integers, "strict_mode=true")))
    except store.error_type:
        return False
    return True


def insert_damaged(
    store: Store, path: Path, named: Path, layout: Layout, account: Account, insert: Callable[[str], str]
) -> None:
    """Insert the rows of a log that `insert_undamaged` cannot read, and add damaged lines to the account."""
    rejects = store.new_name("rejects")
    tables = f"store_rejects=true, rejects_limit=0, rejects_table='{rejects}', rejects_scan='{rejects}_scan'"

    def texts(strict: str) -> str:
        return integers_sql(_read_csv_sql(path, layout, (), f"{tables}, strict_mode={strict}"), layout.integers)

    try:
        store.rows(insert(texts("true")))
    except store.error_type as error:
        if "invalid state" not in str(error):
            raise
        account.damage.append(f"{named.name}: the lines have different endings, or a line contains a carriage return")
        store.rows(insert(texts("false")))
    rejected = store.rows(
        "SELECT kind, count(*), sum(length + 1), min(line) FROM (SELECT line, min(CAST(error_type AS VARCHAR)) AS "
        f"kind, max(strlen(csv_line)) AS length FROM {rejects} GROUP BY line) GROUP BY kind ORDER BY kind"
    )
    store.rows(f"DROP TABLE {rejects}; DROP TABLE {rejects}_scan")
    for kind, number, nbytes, line in rejected:
        if kind in _REASONS:
            account.add(_REASONS[kind], number, nbytes=nbytes)
        else:
            account.damage.append(
                f"{named.name}: line {line:,} has a quote without an end, or is too long, so rows are missing"
            )
