"""The options of `switchover drill`, and what their values may be."""

import argparse
import json
from typing import Any

from switchover.drill.fire_and_heal import NO_FAULT
from switchover.drill.option import OPTIONS, DrillOption, read_rate_above_zero
from switchover.drill.options import DrillSettings
from switchover.load.load_process import NO_LOAD
from switchover.model.argument import argument
from switchover.model.errors import UsageError

TYPED = "--typed"
"""How a drill in the lab is told the words that the user typed, the lab's options among them, as a JSON list."""

EPILOG = """examples:
  switchover drill
      kill the master's HAProxy in the lab
  switchover drill --fault node-down --repeat 20
      the distribution of the outage, against theory
  switchover drill --keepalived weight=0 --budget outage=3s --budget failback=1s
      a failed check makes Keepalived resign at once: is that fast enough?
  switchover drill --plan my_locustfile.py --users 20
      your own users; without a plan there are 50 of ours, about 200 requests a second
  switchover drill --generator jmeter --plan my_plan.jmx
      your own test plan of JMeter's, with a Switchover Listener in it
  switchover drill --patient websocket,sse,tcp --fault node-down
      how long a connection is dead before its owner can know
  switchover drill --change haproxy-reload --times 20 --plan my_locustfile.py
      what twenty reloads cost your own users, change by change
  switchover drill --target site.toml --fault lb-kill --arm
      your own pair; try the file first: switchover doctor --target site.toml

T is a duration: 250ms, 5s, 2min; a number is seconds. LIMIT is a duration for
outage, failback and split-brain, else a share or a count: failed-total=0.1%,
late=0. 'failed' and 'late' count within the switchover only.
exit codes: 0 all budgets hold; 1 a budget is broken, the service or the pair is not as before, or the outages of
--repeat refute the prediction; 2 not trusted, not decided or not done
'switchover faults' lists what can be fired; 'switchover report DIR' shows a run
again."""


USUAL_FAULT = "haproxy-kill"
USUAL = DrillSettings()
OF_CHANGES = ("times", "every_s", "twin")
CHANGED: dict[str, dict[str, Any]] = {
    "target": {"help": "a target file (default: the built-in lab)"},
    "fault": {"help": f"default {USUAL_FAULT}; {NO_FAULT} only measures"},
    "probe-rate": {"type": lambda text: argument(read_rate_above_zero)(text)},
}
"""What the command line changes in the options of `drill.options`."""


def add_options(parser: argparse.ArgumentParser, *without: str) -> None:
    """All that the command line has, but those named."""
    groups: dict[str, argparse._ArgumentGroup] = {}
    for option in OPTIONS.values():
        if option.command_line and option.name not in without:
            group = groups.setdefault(option.group, parser.add_argument_group(option.group))
            _add(group, option)
    shown = groups["what comes of it"].add_mutually_exclusive_group()
    shown.add_argument(
        "--details", action="store_true", help="print all figures, what can contradict them, and each step"
    )
    shown.add_argument("--json", action="store_true", help="print verdict.json instead of the summary")
    parser.add_argument(TYPED, type=json.loads, help=argparse.SUPPRESS)


def read_settings(arguments: argparse.Namespace) -> DrillSettings:
    """What was typed, as one record."""
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
    """Raises UsageError for options that mean nothing beside each other."""
    if settings.rehearse and settings.fault is None and settings.change is None:
        raise UsageError("--rehearse needs a fault: leave out --fault none")
    if settings.change is not None and settings.fault is not None:
        raise UsageError(f"--fault {settings.fault} and --change {settings.change}: one run has one of them")
    of_change = settings.change is not None
    unfit, of = (("repeat", "hold_s", "recover_s"), "a fault") if of_change else (OF_CHANGES, "--change NAME")
    for field in unfit:
        if getattr(settings, field) != getattr(USUAL, field):
            raise UsageError(f"--{field.removesuffix('_s')} is for {of}")


def _add(group: "argparse._ArgumentGroup", option: DrillOption) -> None:
    settings: dict[str, Any] = {"help": option.help, "dest": option.field}
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
    group.add_argument(f"--{option.name}", **settings | CHANGED.get(option.name, {}))
