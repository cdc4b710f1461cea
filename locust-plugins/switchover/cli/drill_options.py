"""The options of `switchover drill`, and what their values may be."""

import argparse
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from switchover.drill.options import HOW, OUTCOME, WHAT, WHEN, DrillOption, read_duration, read_rate
from switchover.drill.probe_settings import LAB_RATE, TARGET_RATE
from switchover.load.load import JMETER, LOCUST, NO_LOAD
from switchover.metronome.spec import RATE_LIMIT
from switchover.model.errors import UsageError

TYPED = "--typed"
"""How a drill in the lab is told the words that the user typed, the lab's options among them, as a JSON list."""

HIGHEST_COUNT = 1_000
HIGHEST_USERS = 100_000
USERS = 50
SPAWN_RATE = 50.0
"""Users a second. Locust warns above 100."""

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
  switchover drill --target site.toml --fault lb-kill --arm
      your own pair; try the file first: switchover doctor --target site.toml

T is a duration: 250ms, 5s, 2min; a number is seconds. LIMIT is a duration for
outage, failback and split-brain, else a share or a count: failed-total=0.1%,
late=0. 'failed' and 'late' count within the switchover only.
exit codes: 0 all budgets hold; 1 a budget is broken, the service or the pair is not as before, or the outages of
--repeat refute the prediction; 2 not trusted, not decided or not done
'switchover faults' lists what can be fired; 'switchover report DIR' shows a run
again."""


CHANGED: dict[str, dict[str, Any]] = {
    "target": {"type": Path, "help": "a target file (default: the built-in lab)"},
    "fault": {"default": "haproxy-kill", "help": "default %(default)s; none only measures"},
    "probe-rate": {
        "type": lambda text: _rate(text),
        "help": f"probes a second (default {LAB_RATE:g} in the lab, {TARGET_RATE:g} elsewhere)",
    },
    "budget": {"type": str},
    "influx": {"type": str},
    "prometheus": {"type": str},
    "out": {"type": Path, "default": Path("runs")},
}
"""What the command line adds to the table of `drill.options`. Budgets and destinations are read in `cli.drill`."""


def add_options(parser: argparse.ArgumentParser) -> None:
    what = parser.add_argument_group("what is drilled")
    _add(what, WHAT)
    what.add_argument("--repeat", type=_count, default=1, metavar="N", help="N drills and their distribution")

    load = parser.add_argument_group("load beside the probes")
    load.add_argument(
        "--generator",
        choices=[LOCUST, JMETER, NO_LOAD],
        help="who makes it (default locust, where it is installed); none: there are only probes",
    )
    load.add_argument(
        "--plan",
        type=Path,
        metavar="FILE",
        help="a locustfile, or a test plan (.jmx) for JMeter (default: visitors of a few pages)",
    )
    load.add_argument(
        "--users", type=_users, default=USERS, metavar="N", help="users at the same time (default %(default)s)"
    )
    load.add_argument(
        "--spawn-rate",
        type=_rate,
        default=SPAWN_RATE,
        metavar="R",
        help="users a second at the start (default %(default)g)",
    )
    load.add_argument(
        "--jmeter-home",
        type=Path,
        metavar="DIR",
        help="the JMeter that makes it (default $JMETER_HOME, or what 'make jmeter' made)",
    )

    _add(parser.add_argument_group("how it is measured"), HOW)

    when = parser.add_argument_group("when (by default derived from the predicted outage and the clean window)")
    duration = _typed(read_duration)
    when.add_argument("--baseline", type=duration, default=5.0, metavar="T", help="before the fault (default 5s)")
    when.add_argument(
        "--hold", type=duration, metavar="T", help="from the fault to the heal (12s or more if no end is predicted)"
    )
    when.add_argument("--recover", type=duration, metavar="T", help="from the heal to the end")
    _add(when, WHEN)

    outcome = parser.add_argument_group("what comes of it")
    _add(outcome, OUTCOME)
    shown = outcome.add_mutually_exclusive_group()
    shown.add_argument("--details", action="store_true", help="print every figure with its witness, and each step")
    shown.add_argument("--json", action="store_true", help="print verdict.json instead of the summary")
    parser.add_argument(TYPED, type=json.loads, help=argparse.SUPPRESS)


def _add(group: "argparse._ArgumentGroup", options: Mapping[str, DrillOption]) -> None:
    for option in options.values():
        if not option.command_line:
            continue
        settings: dict[str, Any] = {"help": option.help}
        if option.is_switch:
            settings |= {"action": "store_true"}
        else:
            settings |= {"metavar": option.metavar, "type": _typed(option.read), "default": option.default_value}
            if option.repeatable:
                settings |= {"action": "append", "default": []}
        group.add_argument(f"--{option.name}", **settings | CHANGED.get(option.name, {}))


def _typed(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """The reader as argparse asks for one."""

    def read_typed(text: str) -> Any:
        try:
            return read(text)
        except UsageError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return read_typed


def _rate(text: str) -> float:
    try:
        rate = read_rate(text)
    except UsageError:
        rate = 0.0
    if not rate:
        raise argparse.ArgumentTypeError(f"{text!r} is not a rate above 0 and up to {RATE_LIMIT:g} a second")
    return rate


def _count(text: str, highest: int = HIGHEST_COUNT) -> int:
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= highest:
        raise argparse.ArgumentTypeError(f"{text!r} is not a count from 1 to {highest}")
    return int(text)


def _users(text: str) -> int:
    return _count(text, HIGHEST_USERS)
