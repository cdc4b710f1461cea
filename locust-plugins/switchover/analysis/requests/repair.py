"""What must be put right in a log before it can be read at full speed.

Most logs hold nothing but plain lines: no quotes, no carriage returns, nothing that is not UTF-8. To see that takes a
fraction of the time of reading them, and is done meanwhile. Of the others a copy is made in which each row is proper
CSV: blocks of lines that are that already are copied, the rest goes through the reader that knows what damage looks
like (`damaged_lines.py`), which also says what it left out and why.
"""

import codecs
import io
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from threading import Event
from typing import BinaryIO

import numpy as np

from switchover.analysis.requests.jtl import Layout
from switchover.model.errors import RunDirectoryError
from switchover.rundir.damaged_lines import (
    CUT_OFF,
    HOLE,
    HOLE_BYTES,
    LINE_LIMIT,
    ROW_LINES_LIMIT,
    TOO_LONG,
    Ignored,
    read_rows,
)
from switchover.rundir.sample_log import quote

BLOCK = 1 << 20
CHECKED = 1 << 18
"""Bytes that are looked at together: they stay in the processor's cache, and no line in them is too long."""
STOP_S = 0.05
"""So long does reading go on after a line that is not plain, and between two requests to stop."""


@dataclass(frozen=True, slots=True)
class LineCheck:
    """What a look at a whole log has found."""

    plain: bool
    """Its lines can be read as they are."""
    tail: bytes = b""
    """A last line that was cut off."""


@contextmanager
def lines_checked_meanwhile(path: Path, offset: int, stop: Callable[[], None]) -> Iterator[Future[LineCheck]]:
    """While the block reads a log, another thread looks at its lines. When it finds one that is not plain, it calls
    `stop` until the block ends."""
    ended, given_up = Event(), Event()

    def check() -> LineCheck:
        found = check_lines(path, offset, given_up)
        while not found.plain and not ended.wait(STOP_S):
            stop()
        return found

    with ThreadPoolExecutor(1) as beside:
        try:
            yield beside.submit(check)
        except KeyboardInterrupt:
            given_up.set()
            raise
        finally:
            ended.set()


def check_lines(path: Path, offset: int, given_up: Event) -> LineCheck:
    """At the lines from `offset` (behind the header) on."""
    piece = bytearray(CHECKED)  # one for all: new ones would take longer to make than to look through
    decoder = codecs.getincrementaldecoder("utf-8")()
    open_bytes = 0  # of the line that the piece before left open
    with open_log(path) as file:
        file.seek(offset)
        while length := file.readinto(piece):
            del piece[length:]
            if b'"' in piece or b"\r" in piece or b"\0" in piece or not _is_utf_8(piece, decoder):
                return LineCheck(plain=False)
            first = piece.find(b"\n")
            if open_bytes + (first if first >= 0 else length) >= LINE_LIMIT or given_up.is_set():
                return LineCheck(plain=False)
            open_bytes = length - 1 - piece.rfind(b"\n") if first >= 0 else open_bytes + length
        if not _is_utf_8(b"", decoder, final=True):
            return LineCheck(plain=False)
        file.seek(-open_bytes, io.SEEK_END)
        return LineCheck(True, file.read())


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
    with open_log(path) as file, repaired.open("wb") as out, io.TextIOWrapper(out, "utf-8", newline="") as text:
        file.seek(layout.offset)
        for proper, blocks in groupby(_blocks(file, ignored), key=partial(is_proper, delimiter=delimiter)):
            if proper:
                out.writelines(block.replace(b"\r\n", b"\n") for block in blocks)
            else:
                for row in read_rows(_lines(blocks, ignored), width, ignored, delimiter):
                    text.write(delimiter.join(_quote(field, delimiter) for field in row) + "\n")
                text.flush()


def _quote(text: str, delimiter: str) -> str:
    quoted = quote(text)
    return f'"{text}"' if delimiter in text and quoted is text else quoted


def is_proper(block: bytes, delimiter: str) -> bool:
    """Each line is a row of CSV, and a row that was open before cannot be closed in it: it may span so many lines
    only."""
    if b"\0" in block or block.count(b"\r") != block.count(b"\r\n") or _has_long_line(block):
        return False
    if not block.endswith(b"\n") or block.count(b"\n") <= ROW_LINES_LIMIT:
        return False
    decoder = codecs.getincrementaldecoder("utf-8")()
    return _is_utf_8(block, decoder) and _has_proper_quotes(block, delimiter.encode())


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


def _has_long_line(block: bytes) -> bool:
    """Looks only where the end must be of a line that is not too long."""
    start = 0
    while len(block) - start >= LINE_LIMIT:
        end = block.rfind(b"\n", start, start + LINE_LIMIT)
        if end < 0:
            return True
        start = end + 1
    return False


def _blocks(file: BinaryIO, ignored: Ignored) -> Iterator[bytes]:
    """Whole lines together; only the last may lack its end. Of a line that is too long, enough to see that; the rest
    of it is counted as lost."""
    while block := file.read(BLOCK):
        if not block.endswith(b"\n"):
            more = file.readline(LINE_LIMIT)
            block += more
            if len(more) == LINE_LIMIT and not more.endswith(b"\n"):
                while more and not more.endswith(b"\n"):
                    more = file.readline(LINE_LIMIT)
                    ignored.lost_bytes += len(more)
                block += b"\n"
        yield block


def _lines(blocks: Iterable[bytes], ignored: Ignored) -> Iterator[bytes]:
    """As `read_lines` reads them."""
    for block in blocks:
        *lines, tail = block.split(b"\n")
        for line in lines:
            if HOLE_BYTES in line:
                ignored.add(HOLE, nbytes=len(line))
            elif len(line) < LINE_LIMIT:
                yield line
            else:
                ignored.add(TOO_LONG, nbytes=len(line))
        if len(tail) >= LINE_LIMIT:
            ignored.add(TOO_LONG, nbytes=len(tail))
        elif HOLE_BYTES in tail:
            ignored.add(HOLE, nbytes=len(tail))
        elif tail:
            ignored.add(CUT_OFF)


def copy_part(source: Path, destination: Path, begin: int, end: int) -> None:
    """These bytes of a log as a file of their own."""
    with open_log(source) as file, destination.open("wb") as out:
        file.seek(begin)
        while begin < end and (piece := file.read(min(BLOCK, end - begin))):
            out.write(piece)
            begin += len(piece)


def open_log(path: Path) -> io.BufferedReader:
    try:
        return path.open("rb")
    except OSError as error:
        raise RunDirectoryError(f"cannot read {path}: {error.strerror}") from error
