"""The options of `switchover drill`, and what their values may be."""

import argparse
import json
from pathlib import Path

from switchover.drill.probe_settings import HIGHEST_RATE, LAB_RATE, TARGET_RATE
from switchover.load.load import JMETER, LOCUST, NO_LOAD
from switchover.model.errors import UsageError
from switchover.model.units import parse_duration_s
from switchover.streaming.influx.spec import WAIT_S

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
exit codes: 0 all budgets hold; 1 a budget is broken, or the outages of --repeat refute the prediction; 2 not trusted
or not done
'switchover faults' lists what can be fired; 'switchover report DIR' shows a run
again."""


def add_options(parser: argparse.ArgumentParser) -> None:
    what = parser.add_argument_group("what is drilled")
    what.add_argument("--target", type=Path, metavar="FILE", help="a target file (default: the built-in lab)")
    what.add_argument(
        "--fault", default="haproxy-kill", metavar="NAME", help="default %(default)s; none only measures"
    )
    what.add_argument("--arm", action="store_true", help="mean it: nothing fires on a --target without it")
    what.add_argument(
        "--rehearse",
        action="store_true",
        help="everything but the kill: baseline, checks, locks, and the commands that would be run, printed",
    )
    what.add_argument(
        "--last-one",
        action="store_true",
        help="mean it: fire though nothing is proven to take over, as with one balancer",
    )
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
    when.add_argument("--seed", type=_whole, metavar="N", help="of the random moment of the kill; run.json has it")

    outcome = parser.add_argument_group("what comes of it")
    outcome.add_argument(
        "--budget",
        action="append",
        default=[],
        metavar="NAME=LIMIT",
        help="outage=5s, failback=1s, split-brain=0s, failed=90%%, failed-total=1%%, late=0, unexplained=0; "
        "repeatable",
    )
    outcome.add_argument(
        "--influx",
        metavar="URL",
        help="stream the points to this database: http://HOST:8086?db=NAME (InfluxDB 1) or "
        "http://HOST:8086?org=ORG&bucket=BUCKET (2, 3); credentials: SWITCHOVER_INFLUX_TOKEN, or _USER and _PASSWORD "
        "(default: the target file's [influx])",
    )
    outcome.add_argument(
        "--influx-wait",
        type=_duration,
        default=WAIT_S,
        metavar="T",
        help="how long to wait for the database at the end (default 10s)",
    )
    outcome.add_argument(
        "--prometheus",
        metavar="ADDRESS",
        help="serve the run's metrics to Prometheus while it goes on: 127.0.0.1:9464, or :9464 for every address of "
        "this machine. OTEL_EXPORTER_OTLP_ENDPOINT in the environment has them pushed by OTLP",
    )
    outcome.add_argument("--out", type=Path, default=Path("runs"), metavar="DIR", help="parent folder (default runs)")
    shown = outcome.add_mutually_exclusive_group()
    shown.add_argument("--details", action="store_true", help="print every figure with its witness, and each step")
    shown.add_argument("--json", action="store_true", help="print verdict.json instead of the summary")
    parser.add_argument(TYPED, type=json.loads, help=argparse.SUPPRESS)


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


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None


def _count(text: str, highest: int = HIGHEST_COUNT) -> int:
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= highest:
        raise argparse.ArgumentTypeError(f"{text!r} is not a count from 1 to {highest}")
    return int(text)


def _users(text: str) -> int:
    return _count(text, HIGHEST_USERS)
