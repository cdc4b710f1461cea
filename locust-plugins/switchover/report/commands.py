"""`switchover report DIR...`: the verdict on runs, again, from what they left behind."""

import argparse
from pathlib import Path

from switchover.analysis.budget import parse_budget
from switchover.errors import RunDirectoryError
from switchover.repeat import Repeat, asked_of, report_repeats
from switchover.report.make import make_report, show
from switchover.rundir import RUN_FILE, read_run


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "report",
        help="judge a run directory again and show it",
        description="Make verdict.json and junit.xml again from a run directory, and print the summary. Directories "
        "of the same run (a distributed test keeps a part on each host) are judged together; a folder of runs stands "
        "for the runs in it, a folder of repeats for their table and summary.json. Exit codes: 0 all "
        "budgets hold, 1 a budget is broken, 2 not trusted.",
        allow_abbrev=False,
    )
    parser.add_argument("directories", nargs="+", type=Path, metavar="DIR", help="run directories")
    parser.add_argument(
        "--budget",
        action="append",
        metavar="NAME=LIMIT",
        help="judge against these budgets instead of the run's own; repeatable",
    )
    parser.add_argument("--json", action="store_true", help="print verdict.json instead of the summary")
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    """The exit code of the worst run."""
    budgets = None if arguments.budget is None else [parse_budget(text) for text in arguments.budget]
    worst = 0
    single: list[Path] = []
    for directory in arguments.directories:
        asked = None if (directory / RUN_FILE).exists() else asked_of(directory)
        inside = [] if asked is None else _runs_in(directory)
        if asked is None or not inside:
            single.append(directory)
            continue
        repeats = [Repeat(run, make_report(run, budgets=budgets)) for run in inside]
        worst = max(worst, report_repeats(directory, repeats, asked=asked, as_json=arguments.json))
    for directory, *parts in runs_of(single):
        verdict = make_report(directory, *parts, budgets=budgets)
        worst = max(worst, show(directory, verdict, as_json=arguments.json))
    return worst


def runs_of(directories: list[Path]) -> list[list[Path]]:
    """The directories of each run. A part without a description belongs to the run before it."""
    runs: dict[str, list[Path]] = {}
    for directory in _expanded(directories):
        if (directory / RUN_FILE).exists() or not runs:
            runs.setdefault(read_run(directory).id, []).append(directory)
        else:
            next(reversed(runs.values())).append(directory)
    return list(runs.values())


def _expanded(directories: list[Path]) -> list[Path]:
    """A folder of runs stands for the runs in it."""
    found: list[Path] = []
    for directory in directories:
        if not directory.is_dir():
            raise RunDirectoryError(f"{directory} is no directory: name a run directory, such as runs/<time>-<name>")
        inside = _runs_in(directory)
        found += [directory] if (directory / RUN_FILE).exists() or not inside else inside
    return found


def _runs_in(directory: Path) -> list[Path]:
    return sorted(path.parent for path in directory.glob(f"*/{RUN_FILE}"))
