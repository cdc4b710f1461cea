"""`switchover verify DIR`: hold a run directory against what must be true of every run."""

import argparse
import json
from pathlib import Path

from switchover.analysis.invariants import Violation, find_violations
from switchover.analysis.run_data import load_with_records
from switchover.model.redaction import escape_controls
from switchover.rundir.run_directory import VERDICT_FILE


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "verify",
        help="hold a run directory against what must be true of every run",
        description="Hold a run directory against what must be true of every run: its files are as the run left "
        "them, they count the same, the schedule is complete, times go forward, and verdict.json follows from the "
        "rest. "
        "It judges nothing: 'switchover report' does. A line for each invariant that does not hold. "
        "Exit code 0: all hold; 1: not all; 2: it cannot be read.",
        allow_abbrev=False,
    )
    parser.add_argument("directory", type=Path, metavar="DIR", help="the run directory")
    parser.add_argument("parts", type=Path, nargs="*", metavar="PART", help="what other hosts kept of the same run")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    found = verify(arguments.directory, *arguments.parts)
    if arguments.json:
        violations = [{"invariant": one.invariant, "text": one.text} for one in found]
        print(json.dumps({"run": str(arguments.directory), "holds": not found, "violations": violations}, indent=2))
        return 1 if found else 0
    for one in found:
        print(escape_controls(f"{one.invariant}: NO: {one.text}"))
    if not found:
        print(f"{arguments.directory}: all that must be true of a run holds")
    return 1 if found else 0


def verify(directory: Path, *parts: Path) -> list[Violation]:
    """The invariants that do not hold."""
    data, records = load_with_records(directory, *parts)
    kept = directory / VERDICT_FILE
    return list(find_violations(data, records, kept.read_bytes() if kept.exists() else None))
