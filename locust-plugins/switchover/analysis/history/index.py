"""All runs below a folder, by an index file beside them: a run is read again only where its files have changed."""

import json
import os
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from switchover.analysis.history.entry import DAMAGED, NOT_JUDGED, Entry, Length, entry_of
from switchover.model.errors import RunDirectoryError
from switchover.rundir.atomic_file import read_whole, write_whole
from switchover.rundir.run_directory import RUN_FILE, VERDICT_FILE, is_as_written

INDEX_FILE = ".switchover-history.json"
INDEX_LIMIT = 256 << 20
"""Bytes: 10,000 runs take 10 MB."""
_LENGTHS = ("outage", "failback")
_FIELDS = tuple(one.name for one in fields(Entry))
_FORM = zlib.crc32(json.dumps([_FIELDS, [one.name for one in fields(Length)]]).encode())
"""An index of another form was written by another version, and is made again."""
_READ = (OSError, ValueError, TypeError, KeyError, RecursionError)

_READ_FILES = (RUN_FILE, VERDICT_FILE)

Stamp = list[int]
"""Of each of _READ_FILES: when it was written (ns), and its size; 0 where it is not there."""


@dataclass(frozen=True, slots=True)
class Found:
    entries: list[Entry]
    notes: list[str]
    """What a reader should know: one line each."""


def read_history(folder: Path) -> Found:
    """Each run below the folder, the oldest first."""
    try:
        if not folder.is_dir():
            raise RunDirectoryError(f"{folder} is no directory: name a folder of runs")
    except OSError as error:
        raise RunDirectoryError(f"cannot read {folder}: {error.strerror}") from error
    known = _read_index(folder)
    notes: list[str] = []
    rows: dict[str, tuple[Stamp, Entry]] = {}
    for path, stamp in _runs_below(folder, notes):
        kept = known.get(path)
        rows[path] = (stamp, kept[1]) if kept and kept[0] == stamp else (stamp, _read_entry(folder, path))
    if rows != known:
        try:
            write_whole(folder / INDEX_FILE, _index_text(rows))
        except RunDirectoryError as error:
            notes.append(f"{error}: the next history is as slow as this one")
    entries = [entry for _, entry in rows.values()]
    entries.sort(key=lambda entry: (entry.start_us or 0, entry.path))
    return Found(entries, notes)


def read_run_alone(directory: Path) -> Entry:
    """One run, without an index. RunDirectoryError where it is damaged, or has no verdict."""
    entry = _read_entry(directory.resolve().parent, directory.resolve().name)
    if entry.word == DAMAGED:
        raise RunDirectoryError(f"{directory} is damaged: {entry.damage}")
    if entry.word == NOT_JUDGED:
        raise RunDirectoryError(f"{directory} has no verdict: 'switchover report' makes it")
    return entry


def _runs_below(folder: Path, notes: list[str]) -> Iterator[tuple[str, Stamp]]:
    """A folder with one of _READ_FILES is a run, and is not searched further. Links are not followed."""
    waiting = [""]
    while waiting:
        place = waiting.pop()
        try:
            with os.scandir(folder / place) as found:
                inside = list(found)
            files = {one.name: one.stat() for one in inside if one.name in _READ_FILES}
        except OSError as error:
            notes.append(f"cannot read {folder / place}: {error.strerror}")
            continue
        if files:
            yield place or ".", _stamp(files)
            continue
        waiting += [
            f"{place}/{one.name}" if place else one.name
            for one in inside
            if not one.name.startswith(".") and one.is_dir(follow_symlinks=False)
        ]


def _stamp(files: Mapping[str, os.stat_result]) -> Stamp:
    found = [files.get(name) for name in _READ_FILES]
    return [number for one in found for number in ((one.st_mtime_ns, one.st_size) if one else (0, 0))]


def _read_entry(folder: Path, path: str) -> Entry:
    directory = folder / path
    try:
        text = read_whole(directory / RUN_FILE)
        if not is_as_written(text):
            raise ValueError(f"{RUN_FILE} does not match the checksum that the run wrote")
        run, verdict = _object_in(text, RUN_FILE), _read_verdict(directory)
        return entry_of(path, run, verdict)
    except OSError as error:
        why = f"{Path(error.filename or RUN_FILE).name}: {error.strerror}"
    except _READ as error:
        why = str(error)
    return Entry(run=directory.resolve().name, path=path, word=DAMAGED, damage=why)


def _read_verdict(directory: Path) -> dict[str, Any] | None:
    try:
        return _object_in(read_whole(directory / VERDICT_FILE), VERDICT_FILE)
    except FileNotFoundError:
        return None


def _object_in(text: bytes, name: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name} is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise ValueError(f"{name} is no object")
    return found


def _index_text(rows: Mapping[str, tuple[Stamp, Entry]]) -> bytes:
    """Its checksum, and a row for each run."""
    values = [[path, stamp, _row(entry)] for path, (stamp, entry) in rows.items()]
    text = json.dumps([_FORM, values], ensure_ascii=True, separators=(",", ":")).encode()
    return b"%08x\n%s\n" % (zlib.crc32(text), text)


def _read_index(folder: Path) -> dict[str, tuple[Stamp, Entry]]:
    """Nothing where there is none, or one that is damaged or of another version: it is made again."""
    try:
        checksum, _, text = read_whole(folder / INDEX_FILE, INDEX_LIMIT).partition(b"\n")
        text = text.removesuffix(b"\n")
        if int(checksum, 16) != zlib.crc32(text):
            return {}
        form, values = json.loads(text)
        return {path: (stamp, _entry(row)) for path, stamp, row in values} if form == _FORM else {}
    except _READ:
        return {}


def _row(entry: Entry) -> list[Any]:
    values = {name: getattr(entry, name) for name in _FIELDS}
    for name in _LENGTHS:
        length = values[name]
        values[name] = None if length is None else [getattr(length, one.name) for one in fields(Length)]
    return list(values.values())


def _entry(row: list[Any]) -> Entry:
    values = dict(zip(_FIELDS, row, strict=True))
    for name in _LENGTHS:
        values[name] = None if values[name] is None else Length(*values[name])
    return Entry(**values)
