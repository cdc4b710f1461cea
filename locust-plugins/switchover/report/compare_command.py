"""`switchover compare A B...`: runs side by side, on the screen, as a page and as data."""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from rich.console import Console

from switchover.analysis import RunData, Verdict, judge, load
from switchover.analysis.compare import compare
from switchover.analysis.comparison import Side
from switchover.analysis.setting import differing, setting_of
from switchover.errors import RunDirectoryError, UsageError
from switchover.foretold import foretell
from switchover.report.compare_console import comparison
from switchover.report.compare_json import to_json
from switchover.report.compare_page import compare_page
from switchover.report.github import for_log
from switchover.rundir import RUN_FILE
from switchover.tabular.requests import FIGURED
from switchover.whole_file import write_whole

SIDES = 8
"""More can neither be told apart on a page nor read side by side."""
CONFIG = "config"
TARGET = "target.toml"
"""What it says of the run is in run.json."""
DIGEST = 12
"""Characters of a file's digest that are shown."""
FILE_LIMIT = 1 << 20
FILES_LIMIT = 200
UNTRUSTED = 2
_LAB = re.compile(rb"/[^\s\"']*?switchover-\d+/[0-9a-f]+/?")
"""Where a built-in lab had its files, which is somewhere else each time."""


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "compare",
        help="runs side by side, with what of the differences is more than chance",
        description="Compare run directories, or folders of repeats, with the first of them: outage, failback, "
        "shares, rates, latencies and who answered, phase by phase, each difference with its interval. "
        "Exit codes: 0 compared, 2 one of them cannot be trusted, or they cannot be compared.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "directories", nargs="+", type=Path, metavar="DIR", help="the first is what others are held to"
    )
    parser.add_argument("--html", type=Path, metavar="FILE", help="write the comparison as a page, too")
    parser.add_argument("--json", action="store_true", help="print it as data instead")
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    directories: list[Path] = arguments.directories
    if len(set(directories)) < len(directories):
        raise UsageError("a run directory is named twice: there is nothing to compare it with")
    if not 2 <= len(directories) <= SIDES:
        raise UsageError(f"compare takes 2 to {SIDES} run directories, not {len(directories)}")
    runs = {directory: _runs_in(directory) for directory in directories}
    sides = [Side(directory.resolve().name, [_drill(run) for run in found]) for directory, found in runs.items()]
    _refuse_what_is_the_same(sides)
    figures = compare(sides)
    if not figures:
        raise RunDirectoryError("nothing to compare: no figure was measured in two of these runs")
    setting = differing([_setting(side, found[0]) for side, found in zip(sides, runs.values(), strict=True)])
    if arguments.html:
        write_whole(arguments.html, compare_page(sides, setting, figures))
    if arguments.json:
        json.dump(to_json(sides, setting, figures), sys.stdout, indent=2)
        print()
    else:
        console = Console()
        with console.capture() as captured:
            console.print(comparison(sides, setting, figures))
        sys.stdout.write(for_log(captured.get()))
        if arguments.html:
            console.print(f"Page: {arguments.html}", soft_wrap=True, highlight=False, markup=False)
    return UNTRUSTED if any(side.reasons for side in sides) else 0


def _runs_in(directory: Path) -> list[Path]:
    """The run itself, or the drills of a folder of repeats."""
    if not directory.is_dir():
        raise RunDirectoryError(f"{directory} is no directory: name a run directory, such as runs/<time>-<name>")
    if (directory / RUN_FILE).exists():
        return [directory]
    inside = sorted(path.parent for path in directory.glob(f"*/{RUN_FILE}"))
    if not inside:
        raise RunDirectoryError(f"{directory} is no run directory, and has none in it: there is no {RUN_FILE}")
    return inside


def _drill(directory: Path) -> tuple[RunData, Verdict]:
    data = load(directory, columns=FIGURED)
    data = replace(data, run=foretell(data.run, directory))
    return data, judge(data)


def _refuse_what_is_the_same(sides: Sequence[Side]) -> None:
    seen: dict[tuple[str, int | None], int] = {}
    for place, side in enumerate(sides):
        for verdict in side.verdicts:
            if seen.setdefault((verdict.run.id, verdict.run.plan.start_us), place) != place:
                raise UsageError(f"{side.name}: run {verdict.run.id} would be compared with itself")


def _setting(side: Side, directory: Path) -> dict[str, str]:
    """Of a folder of repeats that of its first drill: they were all made by one command."""
    return setting_of(side.drills[0][0].run, _configuration(directory))


def _configuration(directory: Path) -> dict[str, str]:
    """A digest of each file that was kept of the balancers and backends."""
    root = directory / CONFIG
    found = {}
    for path in sorted(root.rglob("*"))[:FILES_LIMIT]:
        try:
            if path.name != TARGET and path.is_file() and path.stat().st_size <= FILE_LIMIT:
                content = _LAB.sub(b"", path.read_bytes())
                found[path.relative_to(root).as_posix()] = sha256(content).hexdigest()[:DIGEST]
        except OSError:
            found[path.relative_to(root).as_posix()] = "cannot be read"
    return found
