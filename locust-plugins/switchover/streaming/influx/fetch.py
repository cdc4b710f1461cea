"""A run directory made of what a database has of the run: there whole, or not at all."""

import os
import re
import shutil
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from switchover.model.errors import DatabaseError, RunDirectoryError, UsageError
from switchover.report.stored_verdict import StoredRun
from switchover.rundir.measurements import BUDGET, VERDICT
from switchover.rundir.points import format_point, parse_point
from switchover.rundir.run_directory import (
    JOURNAL_FILE,
    VERDICT_FILE,
    VERDICT_JOURNAL,
    write_json,
    write_run,
)
from switchover.rundir.run_records import FetchedFacts
from switchover.rundir.seal import seal_file
from switchover.streaming.influx.database_client import DatabaseClient
from switchover.streaming.influx.stored_points import PointReader
from switchover.streaming.influx.stored_runs import count_points

REPORTED_EVERY = 1000
"""Points between two words on how far it is."""
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""What `run_id` makes of a name."""


@dataclass(frozen=True, slots=True)
class Fetched:
    directory: Path
    is_judged: bool
    """The database has a verdict of it."""
    notes: tuple[str, ...]
    """What a reader should know of what was in the database."""


def fetch_run(client: DatabaseClient, run: str, parent: Path, progress: Callable[[int, int], None]) -> Fetched:
    """Makes the directory `run` in `parent`. `progress`: how many points were read, of how many.

    DatabaseError where the database has no such run, one that no run of ours can have written, or one that still
    goes on; RunDirectoryError where the directory is there, or cannot be written.
    """
    if not _SAFE.fullmatch(run):
        raise UsageError(f"{run[:60]!r} is no name of a run: 'switchover influx runs' lists them")
    directory = parent / run
    if os.path.lexists(directory):
        raise RunDirectoryError(f"{directory} is there already, and is left as it is: --out names another place")
    total = count_points(client, run)
    if not total:
        raise DatabaseError(f"{client.name} has no points of a run {run}: 'switchover influx runs' lists them")
    partial = parent / f".{run}.{os.getpid()}.part"
    try:
        partial.mkdir(parents=True)
    except OSError as error:
        raise RunDirectoryError(f"cannot create {directory}: {error.strerror}") from error
    try:
        fetched = _fill(client, run, partial, lambda points: progress(points, total))
        _move(partial, directory)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return Fetched(directory, *fetched)


def _fill(
    client: DatabaseClient, run: str, directory: Path, progress: Callable[[int], None]
) -> tuple[bool, tuple[str, ...]]:
    reader, stored = PointReader(client, run), StoredRun(run)
    try:
        with ExitStack() as files:
            journal, verdict = (
                files.enter_context((directory / name).open("w", encoding="utf-8", newline="", errors="replace"))
                for name in (JOURNAL_FILE, VERDICT_JOURNAL)
            )
            for point in reader.read():
                line = format_point(point.measurement, point.tags, point.fields, point.time_ns)
                is_verdict = point.measurement in (VERDICT, BUDGET)
                (verdict if is_verdict else journal).write(f"{line}\n")
                stored.take(parse_point(line) if is_verdict else point)  # its figures as they are written
                if reader.points % REPORTED_EVERY == 0:
                    progress(reader.points)
    except OSError as error:
        raise RunDirectoryError(f"cannot write {directory}: {error.strerror}") from error
    _require_all(client, run, reader)
    try:
        judged, described = stored.judged(), stored.described()
    except ValueError as error:
        raise DatabaseError(f"{client.name}: {run} cannot be fetched: {error}") from error
    described.fetched = FetchedFacts.of(
        {"database": client.url, "at_us": time.time_ns() // 1000, "points": reader.points}
    )
    described.seals = {name: [seal_file(directory / name).facts()] for name in (JOURNAL_FILE, VERDICT_JOURNAL)}
    if judged is not None:
        write_json(directory / VERDICT_FILE, judged)
    write_run(directory, described)
    return judged is not None, tuple(_notes(stored, reader))


def _require_all(client: DatabaseClient, run: str, reader: PointReader) -> None:
    """What was read is what is there now. A run that goes on gets more points meanwhile."""
    now = count_points(client, run)
    if now != reader.counted:
        raise DatabaseError(
            f"{client.name}: {reader.counted:,} points of {run} were read, and {now:,} are there: does it go on?"
        )


def _notes(stored: StoredRun, reader: PointReader) -> list[str]:
    notes = []
    if "end" not in stored.events:
        notes.append("the database has no end of this run: it may still go on, or was ended before its time")
    if stored.judged() is None:
        notes.append("the database has no verdict of this run: it was not judged, and what is here is too little")
    if reader.left_out:
        notes.append(f"{reader.left_out:,} values are left out: this version knows no such field, or another type")
    return notes


def _move(partial: Path, directory: Path) -> None:
    """In one step. A directory that has come in between stays."""
    try:
        directory.mkdir()
        partial.rename(directory)
    except OSError as error:
        raise RunDirectoryError(f"cannot create {directory}: {error.strerror}") from error
