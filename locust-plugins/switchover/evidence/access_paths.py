"""Count the requests in the access logs of a run, for each backend and path."""

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
    """Count the lines of all access logs since the start of the run, for each backend and path."""
    counts: dict[str, Counter[str]] = {}
    for path in paths:
        backend = path.stem.removeprefix(ACCESS_PREFIX)
        counts.setdefault(backend, Counter()).update(_read_paths(path, start_us, ignored))
    return counts


def _read_paths(path: Path, start_us: int, ignored: Ignored) -> Counter[str]:
    """Count the lines of an access log for each path. Lines of requests before the run are ignored, if the times in
    the log are precise enough: the server may write such lines during the run."""
    try:
        with path.open(encoding="utf-8", newline="", errors="replace") as file:
            lines = list(_access_lines(path, file, ignored))
    except (OSError, csv.Error) as error:
        raise RunDirectoryError(f"cannot read {path}: {error}") from error
    has_whole_seconds = len({time_us % 1_000_000 for time_us, _ in lines}) <= 1
    resolution_us = 1_000_000 if has_whole_seconds else 0
    return Counter(request_path for time_us, request_path in lines if time_us + resolution_us >= start_us)


def _access_lines(path: Path, file: TextIO, ignored: Ignored) -> Iterator[tuple[int, str]]:
    """Yield the time and the path of each line of an access log. A line may contain any text, because clients choose
    the path."""
    rows = csv.DictReader(file)
    if not {"time_us", "path"} <= set(rows.fieldnames or ()):
        raise RunDirectoryError(f"{path} is not the access log of a run: its header lacks time_us or path")
    for row in rows:
        try:
            yield int(row["time_us"]), path_of(row["path"])
        except (AttributeError, TypeError, ValueError):
            ignored.add("a line of an access log cannot be read")


def path_of(url: str) -> str:
    """Return the path of a URL or of a request target, without the query."""
    if url.startswith("/"):
        return url.partition("?")[0]  # a client can send a request target that is not a URL
    try:
        return urlsplit(url).path or "/"
    except ValueError:
        return url
