"""`switchover compare A B...`: runs side by side, on the screen, as a page and as data."""

import argparse
import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from switchover.cli.report import runs_in
from switchover.evidence.log_run import load_logs
from switchover.evidence.requests.files import is_log
from switchover.evidence.requests.identity_from import IdentityFrom, parse_identity_from
from switchover.evidence.requests.reader import HowToRead
from switchover.evidence.requests.table import COUNTED
from switchover.model.errors import RunDirectoryError, UsageError
from switchover.report.compare.differences import Side, compare, differing, setting_of
from switchover.report.compare.form import compare_page, comparison, to_json
from switchover.report.history.entry import read_kept_verdict
from switchover.report.screen import print_json, print_shown
from switchover.rundir.atomic_file import write_whole
from switchover.rundir.run_directory import RUN_FILE, Run, read_run
from switchover.verdict.judge import judge
from switchover.verdict.record import Verdict

SIDES = 8
"""More have no room side by side on a page."""
CONFIG = "config"
TARGET = "target.toml"
"""What it says of the run is in run.json."""
DIGEST = 12
"""Characters of a file's digest that are shown."""
FILE_LIMIT = 1 << 20
FILES_LIMIT = 200
INVALID_ONES = 2
_LAB = re.compile(rb"/[^\s\"']*?switchover-\d+/[0-9a-f]+/?")
"""Where a built-in lab had its files, which is somewhere else each time."""


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "compare",
        help="compare runs, and print the differences that chance does not explain",
        description="Compare run directories, folders of repeats, or sample logs, with the "
        "first of them: outage, failback, shares, rates, latencies and who answered, phase by phase, each difference "
        "with its interval. "
        "Exit codes: 0 compared, 2 a run is invalid, or the runs cannot be compared.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "sources", nargs="+", type=Path, metavar="DIR|FILE", help="runs or logs; all are compared with the first"
    )
    parser.add_argument(
        "--backend-from",
        metavar="COLUMN:REGEX",
        help="column and regular expression that name the backend, as for 'report'",
    )
    parser.add_argument("--all", action="store_true", help="also print the figures without a difference")
    parser.add_argument("--html", type=Path, metavar="FILE", help="also write the comparison as a page")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    sources: list[Path] = arguments.sources
    if len(set(sources)) < len(sources):
        raise UsageError("a run is named twice: there is nothing to compare it with")
    if not 2 <= len(sources) <= SIDES:
        raise UsageError(f"compare takes 2 to {SIDES} runs, not {len(sources)}")
    how = HowToRead(_identity_from(arguments.backend_from, sources))
    runs = {source: _runs_in(source) for source in sources}
    sides = [Side(_name(source), [_drill(run, how) for run in found]) for source, found in runs.items()]
    _refuse_what_is_the_same(sides)
    figures = compare(sides)
    if not figures:
        raise RunDirectoryError("nothing to compare: no figure was measured in two of these runs")
    # Of a folder of repeats that of its first drill: they were all made by one command.
    settings = [
        setting_of(side.drills[0][0], _configuration(found[0]))
        for side, found in zip(sides, runs.values(), strict=True)
    ]
    setting = differing(settings)
    if arguments.html:
        write_whole(arguments.html, compare_page(sides, setting, figures))
    if arguments.json:
        print_json(to_json(sides, setting, figures))
    else:
        print_shown(comparison(sides, setting, figures, everything=arguments.all), arguments.html)
    return INVALID_ONES if any(side.reasons for side in sides) else 0


def _identity_from(text: str | None, sources: Sequence[Path]) -> IdentityFrom | None:
    if text is None:
        return None
    if not any(map(is_log, sources)):
        raise UsageError("--backend-from is for sample logs: a run directory has names of its own")
    return parse_identity_from(text)


def _name(source: Path) -> str:
    """Logs are often called the same, and lie in different folders."""
    return str(source) if is_log(source) else source.resolve().name


def _runs_in(source: Path) -> list[Path]:
    """The run itself, or the drills of a folder of repeats."""
    if is_log(source):
        return [source]
    inside = runs_in(source)
    if not inside:
        raise RunDirectoryError(f"{source} is no run directory, and has none in it: there is no {RUN_FILE}")
    return inside


def _drill(source: Path, how: HowToRead) -> tuple[Run, Verdict]:
    if is_log(source):
        data = load_logs([source], how, COUNTED)
        return data.run, judge(data, []).record
    return read_run(source), read_kept_verdict(source)


def _refuse_what_is_the_same(sides: Sequence[Side]) -> None:
    seen: dict[tuple[str, int | None], int] = {}
    for place, side in enumerate(sides):
        for run, _ in side.drills:
            if seen.setdefault((run.id, run.plan.start_us), place) != place:
                raise UsageError(f"{side.name}: run {run.id} would be compared with itself")


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
