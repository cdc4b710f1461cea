"""`switchover fetch RUN --influx URL`: a run directory from what a database has of the run."""

import argparse
import sys
from pathlib import Path

from rich.console import Console

from switchover.cli.influx import add_database, database_of
from switchover.model.errors import SwitchoverError
from switchover.model.redaction import escape_controls
from switchover.report.fetched import show_fetched
from switchover.streaming.influx.database_client import DatabaseClient
from switchover.streaming.influx.fetch import fetch_run

RUNS = Path("runs")


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "fetch",
        help="make run directories from what a database has of runs",
        description="Make a run directory where only the database is left: its journal, and the verdict as the run "
        "was given it. 'switchover report', 'history' and 'verify' read it, and 'upload' sends it to another "
        "database. What no database has cannot come back: each probe and request by itself, access logs, the "
        "reasons and the anatomy of the verdict, whether the outage was as predicted, settings and configuration. So "
        "nothing is judged again, and there is no junit.xml. A directory that is there is not touched, and one that "
        "cannot be fetched whole is not made. Exit codes: 0 all are there, 2 not all.",
        epilog="switchover influx runs --influx URL lists the runs; switchover fetch RUN --influx URL --out runs "
        "fetches one.",
        allow_abbrev=False,
    )
    parser.add_argument("runs", nargs="+", metavar="RUN", help="as 'switchover influx runs' lists them")
    add_database(parser)
    parser.add_argument(
        "--out", type=Path, default=RUNS, metavar="DIR", help="where the run directory is made (default runs)"
    )
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    """Each run by itself: one that cannot be fetched is a line, and keeps no other from it."""
    worst = 0
    notes = Console(stderr=True)
    with DatabaseClient(database_of(arguments)) as client:
        for name in dict.fromkeys(arguments.runs):
            try:
                _fetch(client, name, arguments.out, notes, alone=len(arguments.runs) == 1)
            except SwitchoverError as error:
                print(f"switchover: {escape_controls(str(error))}", file=sys.stderr)
                worst = error.exit_code
    return worst


def _fetch(client: DatabaseClient, name: str, out: Path, notes: Console, *, alone: bool) -> None:
    with notes.status(f"{name}: asking") as status:
        fetched = fetch_run(
            client,
            name,
            out,
            lambda points, total: status.update(f"{name}: {points:,} of {total:,} points"),
        )
    for note in fetched.notes:
        notes.print(escape_controls(f"{name}: {note}"), soft_wrap=True, highlight=False, markup=False)
    if fetched.is_judged and alone:
        show_fetched(fetched.directory)
    else:
        print(escape_controls(f"Fetched: {fetched.directory}"), flush=True)
