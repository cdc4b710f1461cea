"""`switchover verify DIR`: check that a run directory is unchanged since the run."""

import argparse
from pathlib import Path

from switchover.evidence.run_data import load
from switchover.model.redaction import escape_controls
from switchover.report.screen import print_json
from switchover.rundir.run_directory import VERDICT_FILE
from switchover.verdict.invariants import find_violations

PARSER = {
    "help": "check that a run directory has not changed since the run",
    "description": "Check that a run directory has not changed since the run, and print one line for each problem. "
    "The command checks the checksums, the number of rows of each log, and verdict.json. Exit codes: 0 no "
    "problem; 1 problems; 2 the directory cannot be read.",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", type=Path, metavar="DIR", help="the run directory")
    parser.add_argument(
        "parts", type=Path, nargs="*", metavar="PART", help="directories of the same run from other hosts"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    directory: Path = arguments.directory
    verdict = directory / VERDICT_FILE
    data = load(directory, *arguments.parts)
    problems = list(find_violations(data, verdict.read_bytes() if verdict.exists() else None))
    if arguments.json:
        print_json({"run": str(directory), "holds": not problems, "violations": problems})
    else:
        for text in problems or [f"{directory}: all files are unchanged since the run"]:
            print(escape_controls(text))
    return 1 if problems else 0
