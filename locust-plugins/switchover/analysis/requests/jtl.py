"""JMeter's CSV: which character divides it, what its columns are called, and what its times are."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from mmap import ACCESS_READ, mmap
from pathlib import Path

from switchover.analysis.logs.dates import find_pattern
from switchover.analysis.requests.stamps import LOOKED_AT, Stamps, stamps_of
from switchover.model.errors import RunDirectoryError
from switchover.rundir.damaged_lines import LINE_LIMIT, split_row

REQUIRED = ("timeStamp", "elapsed", "success")
_MARK = b"timeStamp"
DELIMITERS = (",", ";", "\t", "|", "^", "~", ":", " ")
DEFAULT = (
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,"
    "grpThreads,allThreads,URL,Latency,IdleTime,Connect"
)
"""What JMeter 5 writes by default, and where `print_field_names=false` writes no header."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How the rows of a log are written."""

    header: Sequence[str]
    offset: int
    """Bytes before the first row."""
    delimiter: str
    stamps: Stamps


def layout_of(path: Path, named: Path, columns: Sequence[str] = (), time_form: str = "") -> Layout:
    """`named`: the path that messages name. `columns`: of a log without a header. `time_form`: that of its dates, or
    empty."""
    with path.open("rb") as file:
        first, blank = file.readline(LINE_LIMIT), 0
        while first and not first.strip():
            first, blank = file.readline(LINE_LIMIT), blank + len(first)
        rows = list(islice(iter(lambda: file.readline(LINE_LIMIT), b""), LOOKED_AT))
    text = first.rstrip(b"\n").decode("utf-8-sig", "replace").rstrip("\r")
    if "\r" in text and _header_of(text.partition("\r")[0])[0] is not None:
        raise RunDirectoryError(
            f"{named} ends its lines with a carriage return alone: tr '\\r' '\\n' < {named.name} makes a log of it"
        )
    header, delimiter = _header_of(text)
    offset = blank + len(first)
    if header is None and columns:
        header, delimiter, offset = list(columns), _delimiter_of(text, len(columns)), 0
        rows.insert(0, first)
    if header is None:
        raise RunDirectoryError(f"{named} {_why_none(first, text)}")
    if header and not first.endswith(b"\n"):
        raise RunDirectoryError(f"{named} has no header line that ends, and no row: it was cut off")
    missing = [name for name in REQUIRED if name not in header]
    if missing:
        raise RunDirectoryError(f"--columns lacks {', '.join(missing)}, which every request needs")
    times = _times(rows, header, delimiter)
    stamps = stamps_of(times, time_form)
    if stamps is None:
        text = next(filter(str.strip, times))
        why = "--time-format does not read it" if time_form else "no known form reads it"
        pattern = find_pattern(text)
        hint = f"{pattern!r} reads it" if pattern else "'yyyy/MM/dd HH:mm:ss.SSS', say, tells how to read it"
        raise RunDirectoryError(
            f"{named} has times such as {text!r}, and {why}: --time-format {hint} (as JMeter's timestamp_format has "
            "it, or as strptime)"
        )
    return Layout(header, offset, delimiter, stamps)


def sections_of(path: Path, layout: Layout) -> list[int]:
    """Where other headers than the one before them begin, as bytes from the beginning: what follows each is written
    as that says."""
    found, current = [], (list(layout.header), layout.delimiter)
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as text:
        place = text.find(_MARK, layout.offset)
        while place >= 0:
            begin = text.rfind(b"\n", 0, place) + 1
            end = text.find(b"\n", place)
            end = len(text) if end < 0 else end
            if end - begin < LINE_LIMIT:
                header, delimiter = _header_of(text[begin:end].decode("utf-8-sig", "replace"))
                if header is not None and (header, delimiter) != current:
                    current = header, delimiter
                    found.append(begin)
            place = text.find(_MARK, end)
    return found


def _header_of(text: str) -> tuple[list[str] | None, str]:
    for delimiter in DELIMITERS:
        names = split_row(text, delimiter)
        if names is not None and set(REQUIRED) <= {name.strip() for name in names}:
            return [name.strip() for name in names], delimiter
    return None, ","


def _delimiter_of(text: str, width: int) -> str:
    fitting = (one for one in DELIMITERS if len(split_row(text, one) or []) == width)
    return next(fitting, ",")


def _why_none(first: bytes, text: str) -> str:
    if not first:
        return "is empty: it has no header line"
    if b"\0" in first or "\ufffd" in text[:200]:
        return (
            "is no sample log: it is not text, and compressed by nothing that is known (gzip, zstd, xz, bzip2, zip)"
        )
    fields = next((row for one in DELIMITERS if len(row := split_row(text, one) or []) > 2), [])
    start = text[:60]
    if {"true", "false"} & {field.lower() for field in fields}:
        columns = DEFAULT if len(fields) == DEFAULT.count(",") + 1 else "timeStamp,elapsed,…"
        return (
            f"has no header line: it begins with a row of {len(fields)} columns. "
            f"Say what they are with --columns {columns}"
        )
    return (
        f"is no sample log: no format is known that begins {start!r}. JMeter's header has "
        f"{', '.join(REQUIRED)} in it (print_field_names=true); "
        "docs/logs.md has what else is read, and how it has to be written"
    )


def _times(rows: Sequence[bytes], header: Sequence[str], delimiter: str) -> list[str]:
    place, found = header.index("timeStamp"), []
    for row in rows:
        text = row.decode("utf-8", "replace")
        try:
            fields = next(csv.reader([text], delimiter=delimiter))
        except csv.Error:
            continue
        if len(fields) == len(header):
            found.append(fields[place])
    return found
