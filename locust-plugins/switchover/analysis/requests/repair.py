"""Check and copy a log, so that DuckDB reads it at full speed.

Most logs hold only plain lines: no quotes, no carriage returns, valid UTF-8. DuckDB reads such a log as it is. Every
other log is copied into proper CSV: proper lines in blocks, the other lines one by one through `damaged_lines.py`.
"""

import codecs
import io
from collections.abc import Iterator
from functools import partial
from itertools import groupby, islice
from pathlib import Path

import numpy as np

from switchover.analysis.requests.jtl import Layout
from switchover.rundir.damaged_lines import LINE_LIMIT, ROW_LINES_LIMIT, Ignored, read_lines, read_rows
from switchover.rundir.sample_log import quote

CHECKED = 1 << 18
"""Bytes that are checked together: they stay in the processor's cache, and no line in them is too long."""
BLOCK_LINES = 2 * ROW_LINES_LIMIT
"""Lines that are copied together if all of them are proper."""


def read_tail(path: Path, offset: int) -> bytes | None:
    """The end of a log whose last line was cut off, usually b""; None if a line from `offset` on is not plain."""
    piece = bytearray(CHECKED)  # one for all: new ones would take longer to make than to look through
    decoder = codecs.getincrementaldecoder("utf-8")()
    open_bytes = 0  # of the line that the piece before left open
    with path.open("rb") as file:
        file.seek(offset)
        while length := file.readinto(piece):
            del piece[length:]
            if b'"' in piece or b"\r" in piece or b"\0" in piece or not _is_utf_8(piece, decoder):
                return None
            first = piece.find(b"\n")
            if open_bytes + (first if first >= 0 else length) >= LINE_LIMIT:
                return None
            open_bytes = length - 1 - piece.rfind(b"\n") if first >= 0 else open_bytes + length
        if not _is_utf_8(b"", decoder, final=True):
            return None
        file.seek(-open_bytes, io.SEEK_END)
        return file.read()


def _is_utf_8(piece: bytes | bytearray, decoder: codecs.IncrementalDecoder, *, final: bool = False) -> bool:
    if piece.isascii() and not decoder.getstate()[0]:
        return True
    try:
        decoder.decode(piece, final)
    except UnicodeDecodeError:
        return False
    return True


def repair_rows(path: Path, layout: Layout, repaired: Path, ignored: Ignored) -> None:
    """Write the rows of a log to `repaired`: all with as many fields as its header, properly quoted."""
    delimiter, width = layout.delimiter, len(layout.header)
    blocks = _read_blocks(path, layout.offset, ignored)
    with repaired.open("wb") as out, io.TextIOWrapper(out, "utf-8", newline="") as text:
        for proper, group in groupby(blocks, key=partial(is_proper, delimiter=delimiter)):
            if proper:
                out.writelines(block.replace(b"\r\n", b"\n") for block in group)
            else:
                lines = (line for block in group for line in block.split(b"\n")[:-1])
                for row in read_rows(lines, width, ignored, delimiter):
                    text.write(delimiter.join(_quote(field, delimiter) for field in row) + "\n")
                text.flush()


def _quote(text: str, delimiter: str) -> str:
    """A field in quotes if it needs them; csv.writer leaves a lone carriage return without them."""
    quoted = quote(text)
    return f'"{text}"' if delimiter in text and quoted is text else quoted


def _read_blocks(path: Path, offset: int, ignored: Ignored) -> Iterator[bytes]:
    lines = read_lines(path, ignored, offset)
    while block := list(islice(lines, BLOCK_LINES)):
        yield b"\n".join([*block, b""])


def is_proper(block: bytes, delimiter: str) -> bool:
    """Each line is a row of CSV. A row that was open before cannot be closed in so many lines."""
    if b"\0" in block or block.count(b"\r") != block.count(b"\r\n") or block.count(b"\n") <= ROW_LINES_LIMIT:
        return False
    decoder = codecs.getincrementaldecoder("utf-8")()
    return _is_utf_8(block, decoder, final=True) and _has_proper_quotes(block, delimiter.encode())


def _has_proper_quotes(block: bytes, delimiter: bytes) -> bool:
    """They begin and end fields, and within a field each is doubled; none stays open at the end of its line.

    Of two that stand for one, the first is taken for the end of a field, and the second for the begin of another.
    """
    if b'"' not in block:
        return True
    if len(delimiter) != 1:
        return False
    text = np.frombuffer(b"\n" + block, np.uint8)
    quotes = np.flatnonzero(text == ord('"'))
    opened, closed = quotes[::2], quotes[1::2]
    ends = [ord("\n"), ord("\r"), ord('"'), *delimiter]
    line_ends = np.flatnonzero(text == ord("\n"))
    return bool(
        np.all(np.isin(text[opened - 1], ends))
        and np.all(np.isin(text[closed + 1], ends))
        and np.array_equal(np.searchsorted(line_ends, opened), np.searchsorted(line_ends, closed))
    )


def copy_part(source: Path, destination: Path, begin: int, end: int) -> None:
    """Copy these bytes of a log into a file."""
    with source.open("rb") as file, destination.open("wb") as out:
        file.seek(begin)
        while begin < end and (piece := file.read(min(CHECKED, end - begin))):
            out.write(piece)
            begin += len(piece)
