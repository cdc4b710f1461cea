"""`switchover report DIR|FILE...`: compute the verdict of run directories again, or the verdict of request logs."""

import argparse
from datetime import datetime
from functools import partial
from pathlib import Path

from switchover.evidence.requests.files import is_log, require_directory, stem_of
from switchover.evidence.requests.reader import HowToRead
from switchover.model.errors import UsageError
from switchover.model.interval import Span
from switchover.model.units import parse_duration_s
from switchover.report.make_report import Form, make_log_report, make_report, show
from switchover.report.repeats import asked_of, report_repeats
from switchover.rundir.run_directory import RUN_FILE, read_run
from switchover.verdict.limit import parse_limit

FORMS = {
    Form.DETAILS: "print all figures with their sources, and each step of the switchover",
    Form.JSON: "print verdict.json instead of the summary",
    Form.MARKDOWN: "print a summary for a comment on a pull request",
}


PARSER = {
    "help": "judge a run directory or a request log, and print the summary",
    "description": "Judge a run directory again: write verdict.json and junit.xml, and print the summary. "
    "Directories of one run (from several hosts) are judged together. For a folder of runs, each run is "
    "judged. For a folder of repeats, the command also writes summary.json. FILE is a request log: a JTL, "
    "or a log of another load generator or balancer (docs/logs.md). Several logs are judged as one load. "
    "Exit codes: 0 all limits are met; 1 a limit is exceeded; 2 invalid.",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    text = "run directories, or the request logs of one load"
    parser.add_argument("directories", nargs="+", type=Path, metavar="DIR|FILE", help=text)
    text = "folder of the report (default: the run directory, or a new folder next to the log)"
    parser.add_argument("--out", type=Path, metavar="DIR", help=text)
    text = "upper bound of the difference between the logs' clocks. With this option, all logs are judged together"
    parser.add_argument("--clocks-within", metavar="DURATION", help=text)
    parser.add_argument(
        "--window",
        nargs=2,
        metavar=("FROM", "TO"),
        help="for logs: judge only requests that began between these two times, such as 2026-11-24T02:00. A time "
        "without a time zone is in the time zone of this machine",
    )
    parser.add_argument("--by-label", action="store_true", help="also measure the outage of each label")
    text = "limit that replaces all limits of the run. Repeatable"
    parser.add_argument("--limit", action="append", metavar="NAME=LIMIT", help=text)
    add_forms(parser, Form.DETAILS, Form.JSON, Form.MARKDOWN)


def add_forms(parser: "argparse._ActionsContainer", *forms: Form) -> None:
    """Add an option for each output form. `arguments.form` is the form that the user chose."""
    shown = parser.add_mutually_exclusive_group()
    for form in forms:
        shown.add_argument(f"--{form}", dest="form", action="store_const", const=form, help=FORMS[form])
    parser.set_defaults(form=Form.SCREEN)


def run(arguments: argparse.Namespace) -> int:
    limits = None if arguments.limit is None else [parse_limit(text) for text in arguments.limit]
    worst = 0
    logs = [path for path in arguments.directories if is_log(path)]
    if logs:
        if len(logs) < len(arguments.directories):
            raise UsageError("name run directories or request logs, not both")
        out = arguments.out or logs[0].with_name(f"{stem_of(logs[0])}-report")
        within = arguments.clocks_within
        how = HowToRead(
            clocks_within_us=None if within is None else round(parse_duration_s(within) * 1_000_000),
            by_label=arguments.by_label,
            window=_parse_window(*arguments.window) if arguments.window else None,
        )
        verdict = make_log_report(logs, out, how, limits or ())
        return show(out, verdict, arguments.form)
    if arguments.clocks_within or arguments.window:
        raise UsageError("--clocks-within, --window are for request logs, not for run directories")
    judge_run = partial(make_report, limits=limits)
    single: list[Path] = []
    for directory in arguments.directories:
        require_directory(directory)
        repeats, inside = asked_of(directory), runs_in(directory)
        if repeats is None or inside in ([], [directory]):
            single.append(directory)
            continue
        if arguments.out:
            raise UsageError("--out is for runs and logs, not for a folder of repeats")
        drills = [(run.name, judge_run(run)) for run in inside]
        worst = max(worst, report_repeats(directory, drills, asked=repeats, form=arguments.form))
    runs = runs_of(single)
    for directory, *parts in runs:
        out = arguments.out / directory.resolve().name if arguments.out and len(runs) > 1 else arguments.out
        verdict = judge_run(directory, *parts, out=out)
        worst = max(worst, show(out or directory, verdict, arguments.form))
    return worst


def _parse_window(from_text: str, to_text: str) -> Span:
    try:
        edges = [round(datetime.fromisoformat(text).timestamp() * 1_000_000) for text in (from_text, to_text)]
    except ValueError as error:
        raise UsageError(f"--window: {error}; write 2026-11-24T02:00 or 2026-11-24T02:00:30+01:00") from error
    if edges[0] >= edges[1]:
        raise UsageError(f"--window: {to_text} is not after {from_text}")
    return Span(*edges)


def runs_of(directories: list[Path]) -> list[list[Path]]:
    """Group the directories by run. A directory without run.json belongs to the previous run in the list."""
    runs: dict[str, list[Path]] = {}
    for directory in (run for source in directories for run in runs_in(source) or [source]):
        if (directory / RUN_FILE).exists() or not runs:
            runs.setdefault(read_run(directory).id, []).append(directory)
        else:
            next(reversed(runs.values())).append(directory)
    return list(runs.values())


def runs_in(directory: Path) -> list[Path]:
    """Return `directory` if it is a run directory, otherwise all run directories in it."""
    require_directory(directory)
    if (directory / RUN_FILE).exists():
        return [directory]
    return sorted(path.parent for path in directory.glob(f"*/{RUN_FILE}"))
