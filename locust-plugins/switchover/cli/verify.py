"""`switchover verify DIR`: check that a run directory is unchanged since the run."""

import argparse
import json
from pathlib import Path

from switchover.evidence.run_data import load
from switchover.model.redaction import escape_controls
from switchover.rundir.run_directory import VERDICT_FILE
from switchover.verdict.invariants import find_violations


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "verify",
        help="check that a run directory has not changed since the run",
        description="Check that a run directory has not changed since the run, and print one line for each problem. "
        "The command checks the checksums, the number of rows of each log, and verdict.json. Exit codes: 0 no "
        "problem; 1 problems; 2 the directory cannot be read.",
        allow_abbrev=False,
    )
    parser.add_argument("directory", type=Path, metavar="DIR", help="the run directory")
    parser.add_argument(
        "parts", type=Path, nargs="*", metavar="PART", help="directories of the same run from other hosts"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    problems = verify(arguments.directory, *arguments.parts)
    if arguments.json:
        print(json.dumps({"run": str(arguments.directory), "holds": not problems, "violations": problems}, indent=2))
        return 1 if problems else 0
    for text in problems:
        print(escape_controls(text))
    if not problems:
        print(f"{arguments.directory}: all files are unchanged since the run")
    return 1 if problems else 0


def verify(directory: Path, *parts: Path) -> list[str]:
    """Return the problems of a run directory."""
    verdict = directory / VERDICT_FILE
    return list(find_violations(load(directory, *parts), verdict.read_bytes() if verdict.exists() else None))
