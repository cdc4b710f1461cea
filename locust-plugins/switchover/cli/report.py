"""`switchover report DIR|FILE...`: the verdict on runs, again, from what they left behind; or on any sample log."""

import argparse
from functools import partial
from pathlib import Path

from switchover.analysis.budget import parse_budget
from switchover.analysis.requests.files import is_log, stem_of
from switchover.analysis.requests.identity_from import parse_identity_from
from switchover.analysis.verdict import Verdict
from switchover.drill.repeat import Repeat, asked_of, report_repeats
from switchover.model.errors import RunDirectoryError, UsageError
from switchover.report.github import tell_github
from switchover.report.make_report import Form, make_log_report, make_report, show
from switchover.report.witness_log import parse_witness
from switchover.rundir.run_directory import RUN_FILE, read_run


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "report",
        help="judge a run directory again and show it",
        description="Make verdict.json and junit.xml again from a run directory, and print the summary. Directories "
        "of the same run (a distributed test keeps a part on each host) are judged together; a folder of runs stands "
        "for the runs in it, a folder of repeats for their table and summary.json. A sample log (JTL, also "
        "compressed by gzip, or Parquet) of any load generator is judged as a load alone; several are one "
        "load. Exit codes: 0 all budgets hold, 1 a budget is broken, 2 not trusted.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "directories",
        nargs="+",
        type=Path,
        metavar="DIR|FILE",
        help="run directories, or the sample logs of one load",
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="where the report on sample logs goes (default: beside the first)"
    )
    parser.add_argument(
        "--backend-from",
        metavar="COLUMN:REGEX",
        help="where sample logs name who answered: the first group of the regular expression, or its groups named "
        "backend and balancer, over URL or another column",
    )
    for kind in ("HAProxy", "Nginx"):
        parser.add_argument(
            f"--{kind.lower()}-log",
            dest="witnesses",
            action="append",
            type=partial(parse_witness, kind),
            metavar="[NODE=]FILE",
            help=f"compare with this log of {kind}; repeatable",
        )
    parser.add_argument(
        "--budget",
        action="append",
        metavar="NAME=LIMIT",
        help="judge against these budgets instead of the run's own; repeatable",
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--details", action="store_true", help="print every figure with its witness, and each step")
    shown.add_argument("--json", action="store_true", help="print verdict.json instead of the summary")
    shown.add_argument(
        "--markdown", action="store_true", help="print a summary for a comment on a pull request instead"
    )
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    """The exit code of the worst run."""
    budgets = None if arguments.budget is None else [parse_budget(text) for text in arguments.budget]
    identity_from = parse_identity_from(arguments.backend_from) if arguments.backend_from else None
    worst = 0
    witnesses = arguments.witnesses or []
    logs = [path for path in arguments.directories if is_log(path)]
    if logs:
        if len(logs) < len(arguments.directories):
            raise UsageError("name run directories, or sample logs, not both")
        out = arguments.out or logs[0].with_name(f"{stem_of(logs[0])}-report")
        verdict = make_log_report(logs, out, budgets=budgets, identity_from=identity_from, witnesses=witnesses)
        return _shown(out, verdict, arguments)
    if arguments.out or arguments.backend_from:
        raise UsageError("--out and --backend-from are for sample logs: a run directory has its own place and names")
    single: list[Path] = []
    for directory in arguments.directories:
        asked = None if (directory / RUN_FILE).exists() else asked_of(directory)
        inside = [] if asked is None else _runs_in(directory)
        if asked is None or not inside:
            single.append(directory)
            continue
        repeats = [Repeat(run, make_report(run, budgets=budgets)) for run in inside]
        worst = max(worst, report_repeats(directory, repeats, asked=asked, form=_form(arguments)))
    for directory, *parts in runs_of(single):
        verdict = make_report(directory, *parts, budgets=budgets, witnesses=witnesses)
        worst = max(worst, _shown(directory, verdict, arguments))
    return worst


def _shown(directory: Path, verdict: Verdict, arguments: argparse.Namespace) -> int:
    tell_github(verdict)
    return show(directory, verdict, _form(arguments))


def _form(arguments: argparse.Namespace) -> Form:
    chosen = {Form.JSON: arguments.json, Form.MARKDOWN: arguments.markdown, Form.DETAILS: arguments.details}
    return next((form for form, asked in chosen.items() if asked), Form.SCREEN)


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
