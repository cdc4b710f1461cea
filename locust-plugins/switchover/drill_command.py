"""`switchover drill`: in the built-in lab, or against the target that a file describes."""

import argparse
import json
import random
import secrets
from pathlib import Path

from switchover.analysis.budget import parse_budget
from switchover.conclusion import conclude
from switchover.course import TimedCourse
from switchover.drill import Drill
from switchover.errors import SwitchoverError, UsageError
from switchover.facts import versions
from switchover.lab.commands import spec_options
from switchover.lab_drill import drill_in_lab
from switchover.probing import HIGHEST_RATE, LAB_RATE, TARGET_RATE, probe_settings
from switchover.repeat import Repeat, report_repeats
from switchover.report.make import show
from switchover.report.progress import Progress
from switchover.rundir import Run, create_run_directory, run_id
from switchover.staging import stage
from switchover.target import Target
from switchover.target_file import load_target
from switchover.timing import derive_timing
from switchover.trigger import NO_FAULT
from switchover.units import parse_duration_s

TYPED = "--typed"
"""How a drill in the lab is told the words that the user typed, the lab's options among them, as a JSON list."""

HIGHEST_COUNT = 1_000

EPILOG = """examples:
  switchover drill
      kill the master's HAProxy in the lab
  switchover drill --fault node-down --repeat 20
      the distribution of the outage, against theory
  switchover drill --keepalived weight=0 --budget outage=3s --budget failback=1s
      a failed check makes Keepalived resign at once: is that fast enough?
  switchover drill --target site.toml --fault lb-kill --arm
      your own pair; try the file first: switchover doctor --target site.toml

T is a duration: 250ms, 5s, 2min; a number is seconds. LIMIT is a duration for
outage, failback and split-brain, else a share or a count: failed-total=0.1%,
late=0. 'failed' and 'late' count within the switchover only.
exit codes: 0 all budgets hold; 1 a budget is broken, or the outages of --repeat refute the prediction; 2 not trusted
or not done
'switchover faults' lists what can be fired; 'switchover report DIR' shows a run
again."""


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "drill",
        parents=[spec_options()],
        help="fire a fault on purpose and measure what the switchover cost",
        description="One failover drill: baseline, switchover, degraded, failback, recovered.\nWithout --target it "
        "runs in the built-in lab: a real HAProxy or Nginx pair\nwith Keepalived on this machine.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    what = parser.add_argument_group("what is drilled")
    what.add_argument("--target", type=Path, metavar="FILE", help="a target file (default: the built-in lab)")
    what.add_argument(
        "--fault", default="haproxy-kill", metavar="NAME", help="default %(default)s; none only measures"
    )
    what.add_argument("--arm", action="store_true", help="mean it: nothing fires on a --target without it")
    what.add_argument("--repeat", type=_count, default=1, metavar="N", help="N drills and their distribution")
    what.add_argument("--generator", choices=["none"], default="none", help="load beside the probes (default none)")

    how = parser.add_argument_group("how it is measured")
    rates = f"probes a second (default {LAB_RATE:g} in the lab, {TARGET_RATE:g} elsewhere)"
    how.add_argument("--probe-rate", type=_rate, metavar="R", help=rates)
    how.add_argument(
        "--kept-rate",
        type=_rate,
        default=0.0,
        metavar="R",
        help="probes a second on kept connections, reported apart",
    )
    how.add_argument(
        "--timeout", type=_timeouts, metavar="CONNECT,READ", help="of a probe (default 250ms,1s, or the target's)"
    )
    how.add_argument(
        "--late",
        type=_duration,
        default=1.0,
        metavar="T",
        help="a good answer later than this after it was due is late (default 1s)",
    )
    how.add_argument("--scrape", type=_duration, default=1.0, metavar="T", help="telemetry interval (default 1s)")

    when = parser.add_argument_group("when (by default derived from the predicted outage and the clean window)")
    when.add_argument("--baseline", type=_duration, default=5.0, metavar="T", help="before the fault (default 5s)")
    when.add_argument(
        "--hold", type=_duration, metavar="T", help="from the fault to the heal (12s or more if no end is predicted)"
    )
    when.add_argument("--recover", type=_duration, metavar="T", help="from the heal to the end")
    when.add_argument("--seed", type=int, metavar="N", help="of the random moment of the kill; run.json has it")

    outcome = parser.add_argument_group("what comes of it")
    outcome.add_argument(
        "--budget",
        action="append",
        default=[],
        metavar="NAME=LIMIT",
        help="outage=5s, failback=1s, split-brain=0s, failed=90%%, failed-total=1%%, late=0, unexplained=0; "
        "repeatable",
    )
    outcome.add_argument("--out", type=Path, default=Path("runs"), metavar="DIR", help="parent folder (default runs)")
    outcome.add_argument("--json", action="store_true", help="print verdict.json instead of the summary")
    parser.add_argument(TYPED, type=json.loads, help=argparse.SUPPRESS)
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    for text in arguments.budget:
        parse_budget(text)
    if arguments.target is None:
        return drill_in_lab(arguments)
    chosen, _ = spec_options().parse_known_args(arguments.argv)
    for name, value in vars(chosen).items():
        if value != spec_options().get_default(name):
            option = "--" + name.replace("_", "-")
            raise UsageError(f"{option} is for the built-in lab; what --target describes is as it is")
    return drill_target(arguments, load_target(arguments.target))


def drill_target(arguments: argparse.Namespace, target: Target) -> int:
    """One drill or several against a target, each with a run directory of its own."""
    seed = secrets.randbelow(2**31) if arguments.seed is None else arguments.seed
    moments = random.Random(seed)
    parent = arguments.out
    if arguments.repeat > 1:
        parent = create_run_directory(arguments.out, run_id(f"{arguments.fault}-x{arguments.repeat}"))
    repeats: list[Repeat] = []
    with Progress() as progress:
        for number in range(1, arguments.repeat + 1):
            if arguments.repeat > 1:
                progress.note(f"drill {number} of {arguments.repeat}")
            try:
                repeat, interrupted = _drill_once(arguments, target, parent, moments, seed, progress)
            except SwitchoverError as error:
                if not repeats:
                    raise
                progress.note(f"no more drills: {error}")
                break
            repeats.append(repeat)
            if interrupted:
                break
    if arguments.repeat > 1:
        return report_repeats(parent, repeats, asked=arguments.repeat, as_json=arguments.json)
    return show(repeats[0].directory, repeats[0].verdict, as_json=arguments.json)


def _drill_once(
    arguments: argparse.Namespace,
    target: Target,
    parent: Path,
    moments: random.Random,
    seed: int,
    progress: Progress,
) -> tuple[Repeat, bool]:
    staged = None if arguments.fault == NO_FAULT else stage(target, arguments.fault, arm=arguments.arm)
    timing = derive_timing(
        arguments.baseline,
        arguments.hold,
        arguments.recover,
        staged.switchover if staged else None,
        staged.failback if staged else None,
    )
    drill = Drill(
        target,
        staged,
        probe_settings(
            target,
            rate=arguments.probe_rate,
            kept_rate=arguments.kept_rate,
            timeouts_s=arguments.timeout,
            late_s=arguments.late,
        ),
        # The kill must come at a random phase of the adverts: detection is uniform only then.
        TimedCourse(timing, moments.uniform(0.0, staged.advert_int_s) if staged else 0.0),
        watch=progress,
        scrape_interval_s=arguments.scrape,
    )
    name = arguments.fault if staged else "measure"
    directory = create_run_directory(parent, run_id(name))
    run = Run(
        id=directory.name,
        name=name,
        versions=versions(),
        command=["switchover", *(arguments.typed or arguments.argv)],
        settings={"budgets": list(arguments.budget)},
        seed=seed,
    )
    drill.run(directory, run)
    return Repeat(directory, conclude(drill, directory, run, target, progress.note)), drill.interrupted


def _duration(text: str) -> float:
    try:
        seconds = parse_duration_s(text)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    if not 0 < seconds <= 86_400:
        raise argparse.ArgumentTypeError(f"{text!r} is not between 0 and a day")
    return seconds


def _timeouts(text: str) -> tuple[float, float]:
    connect, comma, read = text.partition(",")
    if not comma:
        raise argparse.ArgumentTypeError(f"{text!r} must be two durations, such as 250ms,1s")
    return _duration(connect), _duration(read)


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = 0.0
    if not 0 < rate <= HIGHEST_RATE:
        raise argparse.ArgumentTypeError(f"{text!r} is not a rate above 0 and up to {HIGHEST_RATE:g} a second")
    return rate


def _count(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= HIGHEST_COUNT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a count from 1 to {HIGHEST_COUNT}")
    return int(text)
