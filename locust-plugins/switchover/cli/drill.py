"""`switchover drill`: in the built-in lab, or against the target that a file describes."""

import argparse
import random
import secrets
import sys
from dataclasses import replace

from switchover.cli.drill_options import EPILOG, add_options, read_settings, refuse_unfit
from switchover.cli.lab_drill import drill_in_lab, refuse_lab_options
from switchover.cli.progress import Progress
from switchover.drill.conduct import conduct_all
from switchover.drill.fire_and_heal import NO_FAULT
from switchover.drill.loads import choose_generator, choose_patient_loads, new_load
from switchover.drill.make_changes import ChangesPlan
from switchover.drill.options import DrillSettings
from switchover.drill.plan import DrillPlan, TimedPlan
from switchover.drill.prepare import PreparedFault, prepare_change
from switchover.lab.options import spec_options
from switchover.load.load_process import NO_LOAD
from switchover.report.github import tell_github
from switchover.report.make_report import Form, show
from switchover.report.repeats import report_repeats
from switchover.rundir.run_directory import create_run_directory, run_id
from switchover.target.model import Target
from switchover.target.reader import load_target


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
    add_options(parser)
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    return drill_or_lab(read_settings(arguments), arguments)


def drill_or_lab(settings: DrillSettings, arguments: argparse.Namespace) -> int:
    """A fault or a series of changes, in the built-in lab or against a target."""
    settings = choose_generator(settings, lambda text: _say_once(arguments, text))
    refuse_unfit(settings)
    if settings.target is not None:
        refuse_lab_options(arguments.argv)
        target = load_target(settings.target)
    if settings.target is None:
        return drill_in_lab(settings, arguments)
    return drill_target(settings, target, _form(arguments))


def _say_once(arguments: argparse.Namespace, text: str) -> None:
    """Not again by the drill that runs in the lab's client."""
    if arguments.typed is None:
        print(f"switchover: {text}", file=sys.stderr)


def drill_target(settings: DrillSettings, target: Target, form: Form = Form.SCREEN) -> int:
    """One drill or several against a target, each with a run directory of its own."""
    settings = replace(settings, seed=secrets.randbelow(2**31) if settings.seed is None else settings.seed)
    moments = random.Random(settings.seed)
    kept = choose_patient_loads(settings, target, is_loaded=settings.generator != NO_LOAD)

    def new_plan(prepared: PreparedFault | None) -> DrillPlan:
        load = new_load(settings, target)
        if settings.change is not None:
            return ChangesPlan(settings, prepare_change(target, settings.change, settings), kept, load)
        return TimedPlan.of(settings, prepared, load, moments, kept)

    if settings.repeat > 1:
        name = f"{settings.what or NO_FAULT}-x{settings.repeat}"
        settings = replace(settings, out=create_run_directory(settings.out, run_id(name)))
    with Progress() as progress:
        done = conduct_all(settings, new_plan, progress, target)
    drills = [(one, one.verdict) for one in done if one.verdict is not None]
    for _, verdict in drills:
        tell_github(verdict)
    if settings.repeat > 1:
        named = [(one.directory.name, verdict) for one, verdict in drills]
        return report_repeats(settings.out, named, asked=settings.repeat, form=form)
    first, verdict = drills[0]
    return show(first.directory, verdict, form, streamed=first.streamed)


def _form(arguments: argparse.Namespace) -> Form:
    if arguments.json:
        return Form.JSON
    return Form.DETAILS if arguments.details else Form.SCREEN
