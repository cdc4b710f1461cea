"""`switchover drill`: in the built-in lab, or against the target that a file describes."""

import argparse
import os
import random
import secrets
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from switchover.analysis.budget import parse_budget
from switchover.cli.drill_options import EPILOG, add_options
from switchover.cli.lab import spec_options
from switchover.cli.lab_drill import drill_in_lab
from switchover.drill.carried_rate import CarriedRate, try_rates
from switchover.drill.drill import Drill
from switchover.drill.finish import conclude
from switchover.drill.fire_and_heal import NO_FAULT
from switchover.drill.plan import TimedPlan
from switchover.drill.prepare import prepare_fault, refuse_known_problems
from switchover.drill.probe_settings import probe_settings
from switchover.drill.progress import Progress
from switchover.drill.repeat import Repeat, report_repeats
from switchover.drill.streaming import export_metrics, stream, streamed_line
from switchover.faults.phase_lengths import derive_timing
from switchover.load.jmeter import JMeterLoad, JMeterSettings, java_arguments
from switchover.load.jmeter_home import find_jmeter
from switchover.load.jmeter_plan import require_plan
from switchover.load.load import JMETER, LOCUST, NO_LOAD, Load
from switchover.load.locust import LocustLoad, LocustSettings, require_locust
from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError, UsageError
from switchover.report.github import tell_github
from switchover.report.make_report import Form, show
from switchover.rundir.run_directory import Run, create_run_directory, run_id
from switchover.rundir.run_facts import versions
from switchover.streaming.influx.destination import Database, choose_database
from switchover.streaming.metrics.parent import check_metrics
from switchover.target.model import Target
from switchover.target.reader import load_target


def check_load(arguments: argparse.Namespace) -> None:
    """Refuse a load that cannot run, before anything is started.

    Where no generator was asked for, it is Locust if that is installed.
    """
    if arguments.generator is None:
        arguments.generator = LOCUST if arguments.plan or find_spec("locust") else NO_LOAD
        if arguments.generator == NO_LOAD and arguments.typed is None:
            print("switchover: only probes, no load: Locust is not installed (the extra 'locust')", file=sys.stderr)
    if arguments.jmeter_home is not None and arguments.generator != JMETER:
        raise UsageError("--jmeter-home is for --generator jmeter")
    if arguments.generator == NO_LOAD:
        if arguments.plan is not None:
            raise UsageError("--plan needs a load: leave out --generator none")
    elif arguments.generator == JMETER:
        find_jmeter(arguments.jmeter_home)
        java_arguments()
        if arguments.plan is not None:
            require_plan(arguments.plan)
    else:
        require_locust(arguments.plan)


def load_of(arguments: argparse.Namespace, target: Target) -> Load | None:
    """A new one for each drill; None: only the metronome."""
    if arguments.generator == NO_LOAD:
        return None
    chosen = arguments.users, arguments.spawn_rate, arguments.plan, arguments.late
    if arguments.generator == JMETER:
        return JMeterLoad(JMeterSettings(find_jmeter(arguments.jmeter_home), *chosen), target)
    return LocustLoad(LocustSettings(*chosen), target)


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
    for text in arguments.budget:
        parse_budget(text)
    check_load(arguments)
    if arguments.rehearse and arguments.fault == NO_FAULT:
        raise UsageError("--rehearse needs a fault: leave out --fault none")
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
    refuse_known_problems(target, arguments.budget)
    database = choose_database(arguments.influx, target.influx, os.environ)
    check_metrics(arguments.prometheus, os.environ)
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
                repeat, interrupted = _drill_once(arguments, target, parent, moments, seed, progress, database)
            except SwitchoverError as error:
                if not repeats:
                    raise
                progress.note(f"no more drills: {error}")
                break
            repeats.append(repeat)
            if interrupted:
                break
    if arguments.repeat > 1:
        return report_repeats(parent, repeats, asked=arguments.repeat, form=_form(arguments))
    first = repeats[0]
    return show(first.directory, first.verdict, _form(arguments), streamed=first.streamed)


def _form(arguments: argparse.Namespace) -> Form:
    if arguments.json:
        return Form.JSON
    return Form.DETAILS if arguments.details else Form.SCREEN


def _drill_once(
    arguments: argparse.Namespace,
    target: Target,
    parent: Path,
    moments: random.Random,
    seed: int,
    progress: Progress,
    database: Database | None,
) -> tuple[Repeat, bool]:
    prepared = (
        None
        if arguments.fault == NO_FAULT
        else prepare_fault(
            target, arguments.fault, arm=arguments.arm or arguments.rehearse, allow_last_one=arguments.last_one
        )
    )
    timing = derive_timing(
        arguments.baseline,
        arguments.hold,
        arguments.recover,
        prepared.switchover if prepared else None,
        prepared.failback if prepared else None,
    )
    probing = probe_settings(
        target,
        rate=arguments.probe_rate,
        kept_rate=arguments.kept_rate,
        timeouts_s=arguments.timeout,
        late_s=arguments.late,
    )
    carried = CarriedRate(probing.rate)
    if arguments.probe_rate is None:
        carried = try_rates(probing, target, Clock.of_process())
    if carried.told:
        progress.note(carried.told)
    drill = Drill(
        target,
        prepared,
        replace(probing, rate=carried.rate),
        # The kill must come at a random phase of the adverts: detection is uniform only then.
        TimedPlan(
            timing, moments.uniform(0.0, prepared.advert_int_s) if prepared else 0.0, rehearse=arguments.rehearse
        ),
        observer=progress,
        load=load_of(arguments, target),
        scrape_interval_s=arguments.scrape,
    )
    name = arguments.fault if prepared else "measure"
    directory = create_run_directory(parent, run_id(name))
    run = Run(
        id=directory.name,
        name=name,
        versions=versions(),
        command=["switchover", *(arguments.typed or arguments.argv)],
        settings={"budgets": list(arguments.budget)},
        seed=seed,
        warnings=[carried.told] if carried.told else [],
    )
    streaming = stream(directory, database, target, progress.note, wait_s=arguments.influx_wait)
    with export_metrics(directory, arguments.prometheus, target, progress.note):
        drill.run(directory, run)
        with drill.writing_report():
            verdict = conclude(drill, directory, run, target, progress.note, streaming)
    tell_github(verdict)
    streamed = streamed_line(run, directory)
    if streamed and arguments.repeat > 1:
        progress.note(streamed)
    return Repeat(directory, verdict, streamed), drill.interrupted
