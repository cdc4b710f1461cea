"""`switchover influx VERB`: check, create, fill and clean up the database that receives the points of runs."""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from switchover.model.errors import DatabaseError, TelemetryError, UsageError
from switchover.model.redaction import escape_controls
from switchover.model.units import parse_duration_s
from switchover.streaming.influx import upload
from switchover.streaming.influx.destination import Database, choose_database
from switchover.streaming.influx.writer import try_database
from switchover.target.reader import load_target

if TYPE_CHECKING:
    from switchover.streaming.influx.database_client import DatabaseClient

WHERE = (
    "http://HOST:8086?db=NAME (InfluxDB 1) or http://HOST:8086?org=ORG&bucket=BUCKET (InfluxDB 2 and 3); "
    "credentials as for 'switchover influx upload'"
)


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "influx",
        help="check, create, fill and clean up the InfluxDB that receives runs",
        description="Check and manage the database that receives the points of runs. Exit codes: 0 done; 2 an error.",
        allow_abbrev=False,
    )
    verbs = parser.add_subparsers(title="verbs", dest="verb", required=True, metavar="VERB")
    _verb(
        verbs,
        "check",
        "check the version, and whether the credentials allow reading and writing",
        _check,
    )
    create = _verb(verbs, "create", "create the database or the bucket", _create)
    create.add_argument(
        "--retention",
        default="0",
        metavar="T",
        help="time after which the database deletes points, such as 8760h (default: never)",
    )
    tidy = _verb(verbs, "tidy", "delete all points of a run", _tidy)
    tidy.add_argument("run", metavar="RUN", help="id of the run, which is the name of its run directory")
    tidy.add_argument(
        "--yes",
        action="store_true",
        help="delete the points; without --yes, the command only prints their number",
    )
    upload.register(verbs)


def _verb(
    verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, meaning: str, handler: object
) -> argparse.ArgumentParser:
    parser = verbs.add_parser(name, help=meaning, description=meaning, allow_abbrev=False)
    add_database(parser)
    parser.set_defaults(handler=handler)
    return parser


def add_database(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--influx", metavar="URL", help=WHERE)
    parser.add_argument(
        "--target", type=Path, metavar="FILE", help="target file with the address and the credentials in [influx]"
    )


def database_of(arguments: argparse.Namespace) -> Database:
    settings = load_target(arguments.target).influx if arguments.target else None
    database = choose_database(arguments.influx, settings, os.environ)
    if database is None:
        raise UsageError(f"name a database with --influx: {WHERE}")
    return database


def _check(arguments: argparse.Namespace) -> int:
    code = 0
    with _client_of(arguments) as client:
        for what, look in (
            ("version", client.version),
            ("may read", lambda: _read(client)),
            ("may write", lambda: try_database(database_of(arguments))),
        ):
            try:
                _print(f"ok  {what}: {look()}")
            except (DatabaseError, TelemetryError) as error:
                code = 2
                _print(f"NO  {what}: {error}")
    return code


def _read(client: "DatabaseClient") -> str:
    if not client.exists():
        raise DatabaseError(f"there is no {client.name}: 'switchover influx create' creates it")
    client.query("SHOW MEASUREMENTS LIMIT 1")
    return client.name


def _create(arguments: argparse.Namespace) -> int:
    retention_s = round(parse_duration_s(arguments.retention))
    with _client_of(arguments) as client:
        if client.exists():
            raise DatabaseError(f"{client.name} already exists, and was not changed")
        client.create(retention_s)
        _print(f"created {client.name}")
    return 0


def _tidy(arguments: argparse.Namespace) -> int:
    with _client_of(arguments) as client:
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


def _client_of(arguments: argparse.Namespace) -> "DatabaseClient":
    from switchover.streaming.influx.database_client import DatabaseClient  # `upload` works without this package

    return DatabaseClient(database_of(arguments))
