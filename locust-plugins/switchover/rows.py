"""Rows of CSV out of a file that may be damaged: a stray quote must not swallow the rows behind it."""

import csv
from collections import deque
from collections.abc import Iterator

from switchover.lines import Ignored

ROW_LINES_LIMIT = 200
"""Lines that one row may span, through newlines in quoted fields."""

WRONG_WIDTH = "wrong number of columns"


def split_row(text: str) -> list[str] | None:
    """The fields of a row; None if its quotes are not right."""
    if '"' not in text:
        return text.split(",")
    try:
        return next(csv.reader([text], strict=True), None)
    except csv.Error:
        return None


def read_rows(lines: Iterator[bytes], width: int, ignored: Ignored) -> Iterator[list[str]]:
    """The rows of `width` fields. What is none is counted, and reading goes on with the line after it."""
    waiting: deque[bytes] = deque()
    while True:
        line = waiting.popleft() if waiting else next(lines, None)
        if line is None:
            return
        if b'"' not in line and line.count(b",") == width - 1:  # nearly all of them
            yield line.decode("utf-8", "replace").removesuffix("\r").split(",")
            continue
        taken = [line]
        is_open = line.count(b'"') % 2 == 1
        while is_open and len(taken) <= ROW_LINES_LIMIT:
            following = waiting.popleft() if waiting else next(lines, None)
            if following is None:
                break
            taken.append(following)
            is_open = following.count(b'"') % 2 == 0
        text = b"\n".join(taken).decode("utf-8", "replace").removesuffix("\r")
        row = None if is_open else split_row(text)
        if row is not None and len(row) == width:
            yield row
            continue
        if text:
            ignored.add(WRONG_WIDTH if row is not None else "misplaced quotes")
        waiting.extendleft(reversed(taken[1:]))
