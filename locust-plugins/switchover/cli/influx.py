"""`switchover influx VERB`: check, create, fill and clean up the database that receives the points of runs."""

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from switchover.model.errors import DatabaseError, RunDirectoryError, TelemetryError, UsageError
from switchover.model.redaction import escape_controls
from switchover.model.units import argument, parse_duration_s
from switchover.rundir.atomic_file import read_whole
from switchover.rundir.run_directory import RUN_FILE
from switchover.rundir.sent_offset import sent_path
from switchover.streaming.influx.destination import Database, choose_database
from switchover.streaming.influx.shipper import Shipper, journals, streamed
from switchover.streaming.influx.writer import Writer, try_database
from switchover.streaming.parent import WAIT_S
from switchover.target.reader import load_target

if TYPE_CHECKING:
    from switchover.streaming.influx.database_client import DatabaseClient

WHERE = (
    "http://HOST:8086?db=NAME (InfluxDB 1) or http://HOST:8086?org=ORG&bucket=BUCKET (InfluxDB 2 and 3); "
    "credentials as for 'switchover influx upload'"
)
UPLOAD = (
    "Send the unsent points of run directories to the database. You can repeat the command: "
    "the database stores a repeated point only once. Credentials come from the environment: "
    "SWITCHOVER_INFLUX_TOKEN, or SWITCHOVER_INFLUX_USER and SWITCHOVER_INFLUX_PASSWORD. Exit codes: 0 the database "
    "has all points; 1 the database refused some points; 2 some points could not be sent."
)
ALL_SENT, SOME_REFUSED, NOT_ALL_SENT = 0, 1, 2
PARSER = {
    "help": "check, create, fill and clean up the InfluxDB that receives runs",
    "description": "Check and manage the database that receives the points of runs. Exit codes: 0 done; 2 an error.",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(title="verbs", dest="verb", required=True, metavar="VERB")

    def add_verb(name: str, meaning: str, description: str = "", where: str = WHERE) -> argparse.ArgumentParser:
        verb = verbs.add_parser(name, help=meaning, description=description or meaning)
        verb.add_argument("--influx", metavar="URL", help=where)
        text = "target file with the address and the credentials in [influx]"
        verb.add_argument("--target", type=Path, metavar="FILE", help=text)
        return verb

    add_verb("check", "check the version, and whether the credentials allow reading and writing")
    create = add_verb("create", "create the database or the bucket")
    text = "time after which the database deletes points, such as 8760h (default: never)"
    create.add_argument("--retention", default="0", metavar="T", help=text)
    tidy = add_verb("tidy", "delete all points of a run")
    tidy.add_argument("run", metavar="RUN", type=lambda text: Path(text).name, help="run directory, or its name")
    tidy.add_argument(
        "--yes", action="store_true", help="delete the points; without --yes, the command only prints their number"
    )
    where = "database (default: the database of the run)"
    upload = add_verb("upload", "send the points of run directories to InfluxDB", UPLOAD, where)
    text = "run directories, or folders of run directories"
    upload.add_argument("directories", nargs="+", type=Path, metavar="DIR", help=text)
    text = "longest time to wait for a database that does not accept points (default 10s)"
    upload.add_argument("--wait", type=argument(parse_duration_s), default=WAIT_S, metavar="T", help=text)


def run(arguments: argparse.Namespace) -> int:
    if arguments.verb == "upload":
        return _upload_all(arguments)
    # `upload` works without the package influxdb-client.
    from switchover.streaming.influx.database_client import DatabaseClient

    database = _chosen_database(arguments)
    if database is None:
        raise UsageError(f"name a database with --influx: {WHERE}")
    with DatabaseClient(database) as client:
        if arguments.verb == "check":
            return _check(client, database)
        return _create(client, arguments) if arguments.verb == "create" else _tidy(client, arguments)


def _chosen_database(arguments: argparse.Namespace) -> Database | None:
    settings = load_target(arguments.target).influx if arguments.target else None
    return choose_database(arguments.influx, settings, os.environ)


def _check(client: "DatabaseClient", database: Database) -> int:
    def read() -> str:
        if not client.exists():
            raise DatabaseError(f"there is no {client.name}: 'switchover influx create' creates it")
        client.query("SHOW MEASUREMENTS LIMIT 1")
        return client.name

    looks: dict[str, Callable[[], str]] = {
        "version": client.version,
        "may read": read,
        "may write": lambda: try_database(database),
    }
    code = 0
    for what, look in looks.items():
        try:
            _print(f"ok  {what}: {look()}")
        except (DatabaseError, TelemetryError) as error:
            code = 2
            _print(f"NO  {what}: {error}")
    return code


def _create(client: "DatabaseClient", arguments: argparse.Namespace) -> int:
    retention_s = round(parse_duration_s(arguments.retention))
    if client.exists():
        raise DatabaseError(f"{client.name} already exists, and was not changed")
    client.create(retention_s)
    _print(f"created {client.name}")
    return 0


def _tidy(client: "DatabaseClient", arguments: argparse.Namespace) -> int:
    points = client.count_points(arguments.run)
    if not points:
        raise DatabaseError(f"{client.name} has no points of the run {arguments.run}")
    if not arguments.yes:
        _print(f"{arguments.run}: {points:,} points would be deleted; --yes deletes them")
        return 2
    client.delete_run(arguments.run)
    remaining = client.count_points(arguments.run)
    _print(f"{arguments.run}: {points:,} points deleted" + (f", {remaining:,} remain" if remaining else ""))
    return 2 if remaining else 0


def _print(text: str) -> None:
    Console().print(escape_controls(text), soft_wrap=True, highlight=False, markup=False)


def _upload_all(arguments: argparse.Namespace) -> int:
    """Upload the points of all run directories, and return the highest exit code. The databases of all directories
    are determined before the first upload."""
    chosen = _chosen_database(arguments)
    if chosen is None and arguments.target:
        raise UsageError(f"{arguments.target} has no [influx]")
    directories = _directories(arguments.directories)
    databases = [chosen or _streamed_to(directory) for directory in directories]
    return max(_upload(*pair, arguments.wait) for pair in zip(directories, databases, strict=True))


def _upload(directory: Path, database: Database, patience_s: float) -> int:
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
    _print(f"{directory}: {streamed(account, directory)}")
    if account.left or shipper.has_unread:
        return NOT_ALL_SENT
    return SOME_REFUSED if account.refused else ALL_SENT


def _directories(named: list[Path]) -> list[Path]:
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


def _streamed_to(directory: Path) -> Database:
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
        database = choose_database(str(value), None, os.environ)
        if database is not None:
            return database
    raise UsageError(f"{directory} was not streamed before: name the database with --influx URL")
