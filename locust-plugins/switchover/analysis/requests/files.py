"""Sample logs in less room: compressed by gzip, or as Parquet, which is read several times as fast as text."""

import gzip
import json
import zlib
from collections.abc import Iterable
from pathlib import Path

from switchover.analysis.requests.store import Store, sql_text
from switchover.analysis.requests.table import TYPES, Requests
from switchover.model.errors import RunDirectoryError
from switchover.rundir.damaged_lines import Ignored
from switchover.rundir.whole_file import in_place_of

TEXT, GZIP, PARQUET = ".jtl", ".jtl.gz", ".parquet"
"""The forms that a log may have. Where there are several of the same log, the first counts."""

GROWTH = {TEXT: 1, GZIP: 10, PARQUET: 10}
"""How much larger than the file its text is, about."""

LEFT_OUT = "switchover.ignored"
"""Under this key a Parquet file says what was left out of it, and why."""

_PIECE = 1 << 20


def is_log(path: Path) -> bool:
    """Whether it is named like a log, or is a file of any name."""
    return path.is_file() or path.name.endswith((TEXT, GZIP, PARQUET))


def stem_of(path: Path) -> str:
    """The name of a log without the ending of its form."""
    return next(
        (path.name.removesuffix(form) for form in (GZIP, TEXT, PARQUET) if path.name.endswith(form)), path.name
    )


def text_bytes(paths: Iterable[Path]) -> int:
    """About how large all these logs are as text."""
    return sum(
        path.stat().st_size * next((GROWTH[form] for form in (GZIP, PARQUET) if path.name.endswith(form)), 1)
        for path in paths
    )


def unpack(path: Path, destination: Path, ignored: Ignored) -> None:
    """What can be read of a compressed log: what is damaged ends it, as a last line that was cut off does."""
    try:
        with gzip.open(path) as packed, destination.open("wb") as out:
            try:
                while piece := packed.read(_PIECE):
                    out.write(piece)
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                if not out.tell():
                    raise RunDirectoryError(f"{path} is not compressed by gzip, or damaged: {error}") from error
                ignored.add("compressed file cut off")
    except OSError as error:
        raise RunDirectoryError(f"cannot read {path}: {error.strerror or error}") from error


def write_parquet(requests: Requests, destination: Path, ignored: Ignored) -> None:
    """Whole or not at all, in the order of the log."""
    reasons = json.dumps(dict(ignored.reasons))
    try:
        with in_place_of(destination) as partial:
            requests.rows(
                f"COPY (SELECT {', '.join(TYPES)} FROM {{requests}}) TO {sql_text(str(partial))} "
                f"(FORMAT parquet, COMPRESSION zstd, KV_METADATA {{{sql_text(LEFT_OUT)}: {sql_text(reasons)}}})"
            )
    except (OSError, requests.store.error_type) as error:
        raise RunDirectoryError(f"cannot write {destination}: {str(error).splitlines()[0]}") from error


def ignored_of(store: Store, path: Path) -> dict[str, int]:
    """What was left out when a Parquet file was made."""
    rows = store.rows(
        f"SELECT decode(value) FROM parquet_kv_metadata({sql_text(str(path))}) WHERE decode(key) = '{LEFT_OUT}'"
    )
    try:
        found = json.loads(rows[0][0]) if rows else {}
    except ValueError:
        return {}
    return {str(reason): number for reason, number in found.items() if isinstance(number, int)}
