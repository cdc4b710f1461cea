"""The access logs that a run kept, as tables of when and for which path: what backends were asked for."""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO
from urllib.parse import urlsplit

from switchover.evidence.run_files import ACCESS_PREFIX
from switchover.model.errors import RunDirectoryError
from switchover.rundir.damaged_lines import Ignored


def read_access_logs(paths: Iterable[Path], start_us: int, ignored: Ignored) -> dict[str, Counter[str]]:
    """Count the lines per backend and path since the run began."""
    found: dict[str, Counter[str]] = {}
    for path in paths:
        backend = path.stem.removeprefix(ACCESS_PREFIX)
        found.setdefault(backend, Counter()).update(_read_paths(path, start_us, ignored))
    return found


def _read_paths(path: Path, start_us: int, ignored: Ignored) -> Counter[str]:
    """Count the lines of a kept access log per path, without queries. Strangers wrote them.

    A server may write a line a moment after the answer has gone, so a request that was made to get ready may turn up
    in the log of the run: what is older than the run is left out, as exactly as the log tells the time.
    """
    try:
        with path.open(encoding="utf-8", newline="", errors="replace") as file:
            lines = list(_access_lines(path, file, ignored))
    except OSError as error:
        raise RunDirectoryError(f"cannot read {path}: {error.strerror}") from error
    whole_seconds = len({time_us % 1_000_000 for time_us, _ in lines}) <= 1
    latest_us = 1_000_000 if whole_seconds else 0
    return Counter(asked for time_us, asked in lines if time_us + latest_us >= start_us)


def _access_lines(path: Path, file: TextIO, ignored: Ignored) -> Iterator[tuple[int, str]]:
    """When, and for which path. What the lines say was written by strangers."""
    rows = _rows_of(file)
    header = next(rows, [])
    if not {"time_us", "path"} <= set(header):
        raise RunDirectoryError(f"{path} is no access log as a run keeps it: its header has no time_us or no path")
    at, asked = header.index("time_us"), header.index("path")
    for row in rows:
        try:
            yield int(row[at]), path_of(row[asked])
        except (IndexError, ValueError):
            ignored.add("a line of an access log cannot be read")


def _rows_of(file: TextIO) -> Iterator[list[str]]:
    """Empty for what is no row, as where a quote opens a field that does not end."""
    rows = csv.reader(file)
    while True:
        try:
            yield next(rows)
        except StopIteration:
            return
        except csv.Error:
            yield []


def path_of(url: str) -> str:
    """The path without its query, as client and backend both write it."""
    if url.startswith("/"):
        return url.partition("?")[0]  # what a stranger asked for need not be a URL
    try:
        return urlsplit(url).path or "/"
    except ValueError:
        return url
