"""The options of a drill, each declared once: the command line and Locust's arguments are made of this table.

JMeter's fields are held to it by `src/test/resources/contract/options.json`, which is made of the same table and read
by a test of the element. An option that does not reach all three says why.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from switchover.analysis.budget import parse_budget
from switchover.metronome.spec import RATE_LIMIT
from switchover.model.errors import UsageError
from switchover.model.units import parse_duration_s
from switchover.streaming.influx.destination import parse_destination
from switchover.streaming.metrics.prometheus import parse_address

LONGEST_S = 86_400.0


@dataclass(frozen=True, slots=True)
class ElementField:
    """A field of JMeter's Balancer Target, and the JMeter property that a new element takes it from."""

    name: str
    """Empty: there is only the property."""
    property_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrillOption:
    """One option, the same in meaning, form and default wherever it can be given."""

    name: str
    help: str
    """For argparse: a percent sign is doubled."""
    metavar: str = ""
    """Empty: a switch, which takes no value."""
    read: Callable[[str], Any] = str
    """From the text to its value; UsageError for a text that is none."""
    default: str = ""
    """As a user would write it; empty: none."""
    repeatable: bool = False
    command_line: bool = True
    locust: bool = True
    jmeter: tuple[ElementField, ...] = ()
    because: str = ""
    """Why it does not reach all three."""

    @property
    def is_switch(self) -> bool:
        return not self.metavar

    @property
    def default_value(self) -> Any:
        return self.read(self.default) if self.default else None


def read_duration(text: str) -> float:
    seconds = parse_duration_s(text)
    if not 0 < seconds <= LONGEST_S:
        raise UsageError(f"{text!r} is not above 0 and at most a day")
    return seconds


def read_moment(text: str) -> float:
    seconds = parse_duration_s(text)
    if seconds > LONGEST_S:
        raise UsageError(f"{text!r} is more than a day")
    return seconds


def read_rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = math.nan
    if not 0 <= rate <= RATE_LIMIT:
        raise UsageError(f"{text!r} is not a rate from 0 to {RATE_LIMIT:g} a second")
    return rate


def read_timeouts(text: str) -> tuple[float, float]:
    connect, comma, read = text.partition(",")
    if not comma:
        raise UsageError(f"{text!r} must be two durations, such as 250ms,1s")
    return read_duration(connect), read_duration(read)


def read_whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"{text!r} is no whole number") from None


def read_address(text: str) -> str:
    parse_address(text)
    return text


def read_budgets(text: str) -> list[str]:
    budgets = text.replace(",", " ").split()
    for budget in budgets:
        parse_budget(budget)
    return budgets


def _by_name(*options: DrillOption) -> dict[str, DrillOption]:
    return {option.name: option for option in options}


WHAT = _by_name(
    DrillOption(
        name="target",
        metavar="FILE",
        help="a target file: what is drilled, how it is watched, and its faults",
        jmeter=(ElementField("targetFile", "switchover.target"),),
    ),
    DrillOption(
        name="fault",
        metavar="NAME",
        help="the fault to fire; see 'switchover faults'",
        jmeter=(ElementField("fault", "switchover.fault"),),
    ),
    DrillOption(
        name="arm",
        help="mean it: no fault fires on a real target without it. Only where it is typed, never in the environment "
        "or in a file",
        jmeter=(ElementField("", "switchover.armed"),),
    ),
    DrillOption(
        name="rehearse",
        help="do everything but the kill: baseline, checks, locks, and the commands that would be run, printed",
        jmeter=(ElementField("", "switchover.rehearse"),),
    ),
    DrillOption(
        name="last-one",
        help="mean it: fire though nothing is proven to take over, as with one balancer",
        jmeter=(ElementField("", "switchover.last.one"),),
    ),
)
"""What is drilled."""

HOW = _by_name(
    DrillOption(
        name="probe-rate",
        metavar="R",
        read=read_rate,
        help="probes a second of the metronome (default 1000 in the lab, 100 elsewhere)",
        jmeter=(ElementField("probeRate", "switchover.probe.rate"),),
    ),
    DrillOption(
        name="kept-rate",
        metavar="R",
        read=read_rate,
        default="0",
        help="probes a second on kept connections, reported apart (default 0)",
        jmeter=(ElementField("keptRate"),),
    ),
    DrillOption(
        name="timeout",
        metavar="CONNECT,READ",
        read=read_timeouts,
        help="of a probe (default 250ms,1s, or the target's)",
        locust=False,
        jmeter=(ElementField("timeoutConnect"), ElementField("timeoutRead")),
        because="Locust's option of this name is for the users' clients that have no time-out; its probes have the "
        "target's",
    ),
    DrillOption(
        name="late",
        metavar="T",
        read=read_duration,
        default="1s",
        help="a good answer later than this is late; a probe's time counts from when it was due (default 1s)",
        jmeter=(ElementField("late"),),
    ),
    DrillOption(
        name="scrape",
        metavar="T",
        read=read_duration,
        default="1s",
        help="interval of the telemetry (default 1s)",
        jmeter=(ElementField("scrapeInterval"),),
    ),
)
"""How it is measured."""

WHEN = _by_name(
    DrillOption(
        name="fault-at",
        metavar="T",
        read=read_moment,
        help="when to fire it, counted from the start of the load: 30s, 2min, a number is seconds",
        command_line=False,
        jmeter=(ElementField("faultAt", "switchover.fault.at"),),
        because="a drill of the command line has --baseline: it starts its load itself",
    ),
    DrillOption(
        name="heal-at",
        metavar="T",
        read=read_moment,
        help="when to heal it, counted from the start of the load (default: at the end of the run)",
        command_line=False,
        jmeter=(ElementField("healAt", "switchover.heal.at"),),
        because="a drill of the command line has --hold",
    ),
    DrillOption(
        name="seed",
        metavar="N",
        read=read_whole,
        help="of the random moment of the kill; run.json has it",
        locust=False,
        jmeter=(ElementField("seed", "switchover.seed"),),
        because="a run of Locust's fires at the time that --switchover-fault-at says, which is not random",
    ),
)
"""When it happens."""

OUTCOME = _by_name(
    DrillOption(
        name="budget",
        metavar="NAME=LIMIT",
        read=read_budgets,
        repeatable=True,
        help="what may be lost at most: outage=5s, failback=1s, split-brain=0s, failed=90%%, failed-total=1%%, "
        "late=0, unexplained=0; repeatable. The exit code says whether it was kept",
        jmeter=(ElementField("budgets", "switchover.budgets"),),
    ),
    DrillOption(
        name="influx",
        metavar="URL",
        read=parse_destination,
        help="stream the points to this database: http://HOST:8086?db=NAME (InfluxDB 1) or "
        "http://HOST:8086?org=ORG&bucket=BUCKET (2, 3); credentials: SWITCHOVER_INFLUX_TOKEN, or _USER and _PASSWORD "
        "(default: the target file's [influx])",
        jmeter=(ElementField("influx", "switchover.influx"),),
    ),
    DrillOption(
        name="influx-wait",
        metavar="T",
        read=read_duration,
        default="10s",
        help="how long to wait for the database at the end (default 10s)",
        jmeter=(ElementField("", "switchover.influx_wait"),),
    ),
    DrillOption(
        name="prometheus",
        metavar="ADDRESS",
        read=read_address,
        help="serve the run's metrics to Prometheus while it goes on: 127.0.0.1:9464, or :9464 for every address of "
        "this machine. OTEL_EXPORTER_OTLP_ENDPOINT in the environment has them pushed by OTLP",
        because="JMeter serves no metrics by itself; a drill of the command line does so for its JMeter",
    ),
    DrillOption(
        name="out",
        metavar="DIR",
        default="runs",
        help="parent folder of the run directories (default runs)",
        jmeter=(ElementField("out", "switchover.out"),),
    ),
)
"""What comes of it."""

OPTIONS = {**WHAT, **HOW, **WHEN, **OUTCOME}
