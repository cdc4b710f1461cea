"""What was run, so that somebody can run it again; and how well the generator did."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from switchover.analysis.verdict import Verdict
from switchover.report.page.table import Cell, Table, number
from switchover.rundir.run_directory import Run

CONFIG = "config"
FILE_LIMIT = 64 * 1024
"""Bytes of a configuration file that the page shows."""
FILES_LIMIT = 40
ROWS_LIMIT = 300
_ACCOUNT = (
    ("scheduled", "probes that were due", "{:,}"),
    ("unsent", "left out, because the generator came too late", "{:,}"),
    ("lag_p50_ms", "sent late by, median (ms)", "{:,.2f}"),
    ("lag_p99_ms", "sent late by, 99th percentile (ms)", "{:,.2f}"),
    ("cpu_percent", "of a core (%)", "{:,.2f}"),
)


def generator_table(verdict: Verdict) -> Table:
    account = verdict.run.generator
    rows = []
    for key, meaning, written in _ACCOUNT:
        value = getattr(account, key)
        known = value is not None
        rows.append(
            (Cell(meaning), number(written.format(value) if known else "unknown", f"/generator/{key}" * known))
        )
    return Table("The prober's own account", ("", "figure"), rows)


def workers_table(run: Run) -> Table:
    """The processes that made the load, each with what it said of itself."""
    known = [worker.written for worker in run.workers[:ROWS_LIMIT]]
    columns = list(dict.fromkeys(key for worker in known for key in worker))
    rows = [[Cell(_text(worker.get(column))) for column in columns] for worker in known]
    return Table("Processes of the load", columns, rows)


def run_command(run: Run) -> str:
    """The command as it was typed; with the seed, so that the kill comes at the same moment."""
    seed = [] if run.seed is None or "--seed" in run.command or not run.command else ["--seed", str(run.seed)]
    return shlex.join([*run.command, *seed])


def plan_table(run: Run) -> Table:
    moments = (
        ("start_us", "start"),
        ("fired_from_us", "the fault's command was started"),
        ("fired_to_us", "it had returned"),
        ("confirmed_us", "the fault was proved"),
        ("heal_from_us", "the heal's command was started"),
        ("heal_to_us", "it had returned"),
        ("healed_us", "the heal was verified"),
        ("end_us", "end"),
    )
    rows = []
    for name, meaning in moments:
        at_us = getattr(run.plan, name)
        if at_us is not None:
            rows.append((Cell(meaning), number(utc(at_us))))
    return Table("When", ("", "UTC"), rows)


def values_table(caption: str, columns: tuple[str, str], values: Mapping[str, Any]) -> Table:
    rows = [(Cell(name), Cell(text)) for name, text in _flat(values)]
    return Table(caption, columns, rows[:ROWS_LIMIT])


def config_files(directory: Path) -> list[tuple[str, str]]:
    """The lab's configuration as it was kept beside the run: name and text."""
    files = sorted(path for path in (directory / CONFIG).rglob("*") if path.is_file())[:FILES_LIMIT]
    return [(path.relative_to(directory / CONFIG).as_posix(), _read(path)) for path in files]


def utc(at_us: int) -> str:
    try:
        return f"{datetime.fromtimestamp(at_us / 1e6, UTC):%Y-%m-%d %H:%M:%S.%f}"[:-3]
    except (OverflowError, ValueError, OSError):
        return "unknown"


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(FILE_LIMIT + 1)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return data[:FILE_LIMIT].decode("utf-8", "replace") + ("\n…" if len(data) > FILE_LIMIT else "")


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Nested settings as `load.users`; lists of plain values in one line."""
    for key, value in values.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{name}.")
        elif _holds_mappings(value):
            for place, member in enumerate(value):
                yield from _flat(member, f"{name}.{member.get('name', place)}.")
        else:
            yield name, _text(value)


def _holds_mappings(value: object) -> bool:
    return isinstance(value, Sequence) and bool(value) and all(isinstance(member, Mapping) for member in value)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value == []:
        return "none"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return str(value)
