"""`switchover compare A B...`: compare runs, and print the comparison as a table or as JSON."""

import argparse
from pathlib import Path

from switchover.cli.report import runs_in
from switchover.model.errors import RunDirectoryError, UsageError
from switchover.report.compare.differences import Side, compare, differing, setting_of
from switchover.report.compare.form import comparison, to_json
from switchover.report.documents import read_judged
from switchover.report.screen import print_json, print_shown
from switchover.rundir.run_directory import RUN_FILE, VERDICT_FILE

SIDES = 8


PARSER = {
    "help": "compare runs, and print the differences that are larger than chance",
    "description": "Compare run directories, or folders of repeats, with the first directory: outage, failback, and, "
    "for each phase, share of failures, request rate and latency. Each difference has an uncertainty interval. Exit "
    "codes: 0 compared; 2 a run is invalid, or the runs cannot be compared.",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sources", nargs="+", type=Path, metavar="DIR", help="runs; each run is compared with the first run"
    )
    parser.add_argument("--all", action="store_true", help="also print the figures that do not differ")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    sources: list[Path] = arguments.sources
    if not 2 <= len(sources) <= SIDES:
        raise UsageError(f"compare takes 2 to {SIDES} runs, not {len(sources)}")
    sides = []
    for source in sources:
        if source.is_file():
            raise UsageError(f"{source} is a log: compare the folders that 'switchover report' creates from logs")
        inside = [source] if (source / VERDICT_FILE).exists() else runs_in(source)
        if not inside:
            raise RunDirectoryError(
                f"{source} is not a run directory, and contains no run directory: {RUN_FILE} is missing"
            )
        sides.append(Side(source.resolve().name, [read_judged(run) for run in inside]))
    side_of_run: dict[tuple[str, int | None], int] = {}
    for number, side in enumerate(sides):
        for _, run in side.drills:
            if side_of_run.setdefault((run.id, run.plan.start_us), number) != number:
                raise UsageError(f"{side.name}: run {run.id} is named twice and cannot be compared with itself")
    figures = compare(sides)
    if not figures:
        raise RunDirectoryError("nothing to compare: no figure was measured in two of these runs")
    # In a folder of repeats, one command made all drills, with the same settings.
    setting = differing([setting_of(side.drills[0].run) for side in sides])
    if arguments.json:
        print_json(to_json(sides, setting, figures))
    else:
        print_shown(comparison(sides, setting, figures, everything=arguments.all))
    return 2 if any(side.reasons for side in sides) else 0
