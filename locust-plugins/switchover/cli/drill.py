"""`switchover drill`: run a drill in the built-in lab, or on the pair of a target file."""

import argparse
import json
import os
import random
import secrets
import signal
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

from switchover.cli.progress import Progress
from switchover.cli.report import add_forms
from switchover.drill.conduct import conduct_all
from switchover.drill.fire_and_heal import NO_FAULT
from switchover.drill.loads import choose_generator, new_load
from switchover.drill.make_changes import ChangesPlan
from switchover.drill.options import OPTIONS, DrillOption, DrillSettings, read_rate_above_zero
from switchover.drill.plan import DrillPlan, TimedPlan
from switchover.drill.prepare import prepare_fault
from switchover.faults.catalogue import CATALOGUE, CHANGES
from switchover.faults.mechanism import LabCommands, Mechanism, PreparedFault
from switchover.lab.lab import Lab
from switchover.lab.options import spec_from_arguments, spec_options
from switchover.lab.spec import LabSpec
from switchover.load.load_process import NO_LOAD
from switchover.model.errors import FaultError, UsageError
from switchover.model.units import argument
from switchover.process.signals import ENDING, shell_status
from switchover.report.make_report import Form, show
from switchover.report.repeats import report_repeats
from switchover.rundir.run_directory import create_run_directory, run_id
from switchover.streaming.influx.destination import choose_database
from switchover.streaming.outside import OutsideStreams
from switchover.streaming.parent import check_metrics
from switchover.target.model import Target
from switchover.target.reader import load_target

TYPED = "--typed"
"""The hidden option that contains the user's command line as a JSON list, including the lab's options."""

EPILOG = """examples:
  switchover drill
      kill the master's HAProxy in the lab
  switchover drill --fault node-down --repeat 20
      the distribution of the outage, compared with the prediction
  switchover drill --keepalived weight=0 --limit outage=3s --limit failback=1s
      with weight 0, a failed check makes Keepalived give up the address at once
  switchover drill --plan my_locustfile.py --users 20
      your own users (default: 50 built-in users, about 200 requests per second)
  switchover drill --generator jmeter --plan my_plan.jmx
      your own test plan for JMeter; it needs a Switchover Listener
  switchover drill --connections websocket,sse,tcp --fault node-down
      the time until clients detect their dead connections
  switchover drill --change haproxy-reload --times 20 --plan my_locustfile.py
      the cost of twenty reloads for your own users
  switchover drill --target site.toml --fault haproxy-kill --arm
      your own pair; check the file first with 'switchover doctor --target site.toml'

T is a duration: 250ms, 5s, 2min; a plain number is seconds. LIMIT is a duration, a
share or a count, as in the examples of --limit. 'failed' and 'late' count only
requests in the phase switchover.
exit codes: 0 all limits are met; 1 a limit is exceeded, the service or the pair did not recover, or the outages of
--repeat refute the prediction; 2 invalid, inconclusive or not done
'switchover faults' lists the faults; 'switchover report DIR' prints the summary of a run again."""


PARSER = {
    "parents": [spec_options()],
    "help": "fire a fault on purpose and measure the cost of the switchover",
    "description": "Run one failover drill: baseline, switchover, on_backup, failback, recovered.\nWithout "
    "--target, the drill runs in the built-in lab: a real HAProxy or Nginx\npair with Keepalived on this "
    "machine.",
    "epilog": EPILOG,
    "formatter_class": argparse.RawDescriptionHelpFormatter,
}
USUAL_FAULT = "haproxy-kill"
CHANGED: dict[str, dict[str, Any]] = {
    "target": {"help": "target file (default: the drill runs in the built-in lab)"},
    "fault": {"help": f"fault to fire (default {USUAL_FAULT}); {NO_FAULT}: measure without a fault"},
    "probe-rate": {"type": argument(read_rate_above_zero)},
}


def add_arguments(parser: argparse.ArgumentParser, without: Collection[str] = ()) -> None:
    groups: dict[str, argparse._ArgumentGroup] = {}
    for option in OPTIONS.values():
        if option.command_line and option.name not in without:
            group = groups.setdefault(option.group, parser.add_argument_group(option.group))
            group.add_argument(f"--{option.name}", **_settings_of(option) | CHANGED.get(option.name, {}))
    add_forms(groups["results"], Form.DETAILS, Form.JSON)
    parser.add_argument(TYPED, type=json.loads, help=argparse.SUPPRESS)


def read_settings(arguments: argparse.Namespace) -> DrillSettings:
    chosen = {
        option.field: getattr(arguments, option.field)
        for option in OPTIONS.values()
        if option.command_line and hasattr(arguments, option.field)
    }
    if "fault" not in chosen and chosen["generator"] is None and chosen["plan"] is None:
        chosen["generator"] = NO_LOAD  # `switchover change`
    if chosen.get("fault") is None and chosen.get("change") is None:
        chosen["fault"] = USUAL_FAULT
    elif chosen.get("fault") == NO_FAULT:
        chosen["fault"] = None
    chosen = {field: tuple(value) if isinstance(value, list) else value for field, value in chosen.items()}
    return DrillSettings(**chosen, command=("switchover", *(arguments.typed or arguments.argv)))


def refuse_unfit(settings: DrillSettings) -> None:
    if settings.dry_run and settings.fault is None and settings.change is None:
        raise UsageError("--dry-run needs a fault: omit --fault none")
    if settings.change is not None and settings.fault is not None:
        raise UsageError(f"--fault {settings.fault} and --change {settings.change}: only one of them is allowed")
    unfit, of = ("times", "every_s", "retrying_client"), "--change NAME"
    if settings.change is not None:
        unfit, of = ("repeat", "hold_s", "recover_s"), "a fault"
    for field in unfit:
        if getattr(settings, field) != getattr(DrillSettings(), field):
            raise UsageError(f"--{field.removesuffix('_s')} is for {of}")


def _settings_of(option: DrillOption) -> dict[str, Any]:
    settings: dict[str, Any] = {"help": option.help_text, "dest": option.field}
    if option.is_switch:
        settings |= {"action": "store_true"}
    elif option.choices:
        settings |= {"choices": option.choices}
    else:
        settings |= {"metavar": option.metavar, "type": argument(option.read), "default": option.default_value}
    if option.repeatable:
        settings |= {"action": "extend", "default": []}
    if option.alone:
        settings |= {"nargs": "?", "const": option.read(option.alone)}
    return settings


def drill_in_lab(settings: DrillSettings, arguments: argparse.Namespace) -> int:
    """Run a drill in a new lab and return the exit code. The lab always ends when this process ends."""
    spec = spec_from_arguments(arguments)
    if settings.change is not None or settings.connections is not None:
        spec = replace(spec, connections=True)
    for catalogue, what, name in ((CATALOGUE, "fault", settings.fault), (CHANGES, "change", settings.change)):
        if name is not None:
            refuse_unknown(catalogue, what, name, spec)
    with ExitStack() as stack:
        if settings.influx:
            choose_database(settings.influx, None, os.environ)
        check_metrics(settings.prometheus)
        progress = stack.enter_context(Progress())
        lab = stack.enter_context(Lab(spec, progress=progress.note))
        stack.enter_context(OutsideStreams(lab.layout.shipper_socket))
        command = [sys.executable, "-m", "switchover", *inner_words(arguments.argv, lab.target_file)]
        # Ctrl-C at the terminal reaches the whole foreground group. The SIGINT of a cancelled job reaches only this
        # process. The drill is in a separate process group, so it gets one signal in both cases.
        inside = subprocess.Popen(lab.exec_argv("client", command), process_group=0)

        def forward(number: int, _frame: FrameType | None) -> None:
            inside.send_signal(number)

        for number in ENDING:
            signal.signal(number, forward)
        return shell_status(inside.wait())


def refuse_lab_options(typed: Sequence[str]) -> None:
    parser = spec_options()
    chosen, _ = parser.parse_known_args(list(typed))
    for name, value in vars(chosen).items():
        if value != parser.get_default(name):
            raise UsageError(f"--{name.replace('_', '-')} is for the built-in lab, not for the pair of --target")


def refuse_unknown(catalogue: Mapping[str, Mechanism], what: str, name: str, spec: LabSpec) -> None:
    if name not in catalogue:
        raise FaultError(f"the lab has no {what} {name!r}; known: {', '.join(catalogue)}")
    lab = LabCommands("", "", "", spec.balancer, mode=spec.mode, connections=spec.connections)
    if reason := catalogue[name].applies(lab):
        raise FaultError(f"{name} is not possible in this lab: {reason}")


def inner_words(typed: Sequence[str], target_file: Path) -> list[str]:
    """Return the command-line arguments for the drill that runs inside the lab. The option `TYPED` passes the user's
    command line on."""
    _, rest = spec_options().parse_known_args(list(typed))
    return [*rest, "--target", str(target_file), "--typed", json.dumps(list(typed))]


def run(arguments: argparse.Namespace) -> int:
    def note(text: str) -> None:
        if arguments.typed is None:  # otherwise, this drill's parent process has already printed the text
            print(f"switchover: {text}", file=sys.stderr)

    settings = choose_generator(read_settings(arguments), note)
    refuse_unfit(settings)
    if settings.target is None:
        return drill_in_lab(settings, arguments)
    refuse_lab_options(arguments.argv)
    return drill_target(settings, load_target(settings.target), arguments.form)


def drill_target(settings: DrillSettings, target: Target, form: Form = Form.SCREEN) -> int:
    settings = replace(settings, seed=secrets.randbelow(2**31) if settings.seed is None else settings.seed)
    moments = random.Random(settings.seed)

    def new_plan(prepared: PreparedFault | None) -> DrillPlan:
        load = new_load(settings, target)
        if settings.change is not None:
            return ChangesPlan(settings, prepare_fault(target, settings.change, settings, table="change"), load)
        return TimedPlan.of(settings, prepared, load, moments)

    if settings.repeat > 1:
        name = f"{settings.what or NO_FAULT}-x{settings.repeat}"
        settings = replace(settings, out=create_run_directory(settings.out, run_id(name)))
    with Progress() as progress:
        done = conduct_all(settings, new_plan, progress, target)
    drills = [(drill, drill.verdict) for drill in done if drill.verdict is not None]
    if settings.repeat > 1:
        named = [(drill.directory.name, verdict) for drill, verdict in drills]
        return report_repeats(settings.out, named, asked=settings.repeat, form=form)
    first, verdict = drills[0]
    return show(first.directory, verdict, form, streamed=first.streamed)
