"""`switchover influx upload DIR...`: send the points that have not been sent yet. The command may be interrupted and
repeated."""

import argparse
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from switchover.model.argument import argument
from switchover.model.errors import RunDirectoryError, UsageError
from switchover.model.units import parse_duration_s
from switchover.rundir.atomic_file import read_whole
from switchover.rundir.run_directory import RUN_FILE
from switchover.rundir.sent_offset import sent_path
from switchover.streaming.influx.destination import Database, choose_database
from switchover.streaming.influx.shipper import Shipper, journals, streamed
from switchover.streaming.influx.writer import Writer
from switchover.streaming.parent import WAIT_S
from switchover.target.reader import load_target

ALL_SENT, SOME_REFUSED, NOT_ALL_SENT = 0, 1, 2


def register(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = verbs.add_parser(
        "upload",
        help="send the points of run directories to InfluxDB",
        description="Send those points of run directories to the database that have not been sent yet. You can "
        "repeat the command: the database stores a repeated point only once. Credentials come from the "
        "environment: SWITCHOVER_INFLUX_TOKEN, or SWITCHOVER_INFLUX_USER and SWITCHOVER_INFLUX_PASSWORD. Exit "
        "codes: 0 the database has all points; 1 it refused some points; 2 some points could not be sent.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "directories", nargs="+", type=Path, metavar="DIR", help="run directories, or folders of run directories"
    )
    parser.add_argument("--influx", metavar="URL", help="database (default: the database of the run)")
    parser.add_argument(
        "--target", type=Path, metavar="FILE", help="target file with the address and the credentials in [influx]"
    )
    parser.add_argument(
        "--wait",
        type=argument(parse_duration_s),
        default=WAIT_S,
        metavar="T",
        help="longest time to wait for a database that does not accept points (default 10s)",
    )
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    """Upload all directories, and return the worst exit code. All destinations are checked before the first
    upload."""
    settings = load_target(arguments.target).influx if arguments.target else None
    if arguments.target and settings is None:
        raise UsageError(f"{arguments.target} has no [influx]")
    chosen = choose_database(arguments.influx, settings, os.environ)
    directories = _directories(arguments.directories)
    databases = [chosen or _streamed_to(directory, os.environ) for directory in directories]
    console = Console()
    worst = ALL_SENT
    for directory, database in zip(directories, databases, strict=True):
        worst = max(worst, upload(directory, database, console, patience_s=arguments.wait))
    return worst


def upload(directory: Path, database: Database, console: Console, *, patience_s: float) -> int:
    writer = Writer(database)
    notes = Console(stderr=True)

    def warn(text: str) -> None:
        notes.print(text, soft_wrap=True, highlight=False, markup=False)

    shipper = Shipper(directory, database.destination.url, writer, warn)
    total = shipper.account().total
    taken_s = time.monotonic()
    with notes.status(f"{directory}: {total:,} points") as status:
        while (pause_s := shipper.turn()) is not None:
            if pause_s == 0.0:
                taken_s = time.monotonic()
                status.update(f"{directory}: {shipper.settled:,} of {total:,} points")
            elif time.monotonic() + pause_s > taken_s + patience_s:
                break
            else:
                time.sleep(pause_s)
    writer.close()
    account = shipper.account()
    console.print(f"{directory}: {streamed(account, directory)}", soft_wrap=True, highlight=False, markup=False)
    if account.left or shipper.has_unread:
        return NOT_ALL_SENT
    return SOME_REFUSED if account.refused else ALL_SENT


def _directories(named: list[Path]) -> list[Path]:
    """Return all directories with journals, without duplicates."""
    directories: dict[Path, Path] = {}
    for directory in named:
        if not directory.is_dir():
            raise RunDirectoryError(
                f"{directory} is not a directory: name a run directory, such as runs/<time>-<name>"
            )
        inside = sorted({path.parent for path in directory.rglob("journal*.lp")})
        if not inside:
            raise RunDirectoryError(f"{directory} and its subfolders have no journal*.lp")
        directories |= {path.resolve(): path for path in inside}
    return list(directories.values())


def _streamed_to(directory: Path, environment: Mapping[str, str]) -> Database:
    """Return the database that the run streamed to."""
    for path, keys in [
        (directory / RUN_FILE, ("streaming", "to")),
        *((sent_path(journal), ("to",)) for journal in journals(directory)),
    ]:
        try:
            value = json.loads(read_whole(path))
            for key in keys:
                value = value[key]
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            continue
        database = choose_database(str(value), None, environment)
        if database is not None:
            return database
    raise UsageError(f"{directory} was not streamed before: name the database with --influx URL")
