"""The settings of a drill. Each option is declared once, as a field of `DrillSettings`.

The command line's and Locust's arguments are made of the fields, and JMeter's fields are held to them by
`src/test/resources/contract/options.json`. An option that does not reach all three says why.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, get_args

from switchover.drill.option import DrillOption, ElementField, option
from switchover.drill.option_readers import (
    read_address,
    read_budgets,
    read_count_to,
    read_destination,
    read_duration,
    read_every,
    read_moment,
    read_rate,
    read_rate_above_zero,
    read_timeouts,
    read_whole,
)
from switchover.load.load import JMETER, LOCUST, NO_LOAD
from switchover.model.errors import UsageError
from switchover.model.patient_kind import PatientKind
from switchover.patient.spec import ALL, read_counts

WHAT = "what is drilled"
LOAD = "load beside the probes"
HOW = "how it is measured"
WHEN = "when (by default derived from the predicted outage and the clean window)"
OUTCOME = "what comes of it"

NOT_IN_JMETER = "'switchover change --generator jmeter' makes changes beside JMeter's load"
STARTS_ITS_LOAD = "only a drill of the command line starts its load itself"


@dataclass(frozen=True, slots=True, kw_only=True)
class DrillSettings:
    """What one drill is to be. Times in seconds, rates per second; None: not chosen."""

    target: Path | None = option(
        WHAT,
        "a target file: what is drilled, how it is watched, and its faults",
        metavar="FILE",
        read=Path,
        jmeter=(ElementField("targetFile", "switchover.target"),),
    )
    fault: str | None = option(
        WHAT,
        "the fault to fire; see 'switchover faults'",
        metavar="NAME",
        jmeter=(ElementField("fault", "switchover.fault"),),
    )
    change: str | None = option(
        WHAT,
        "a change that should cost nothing, made many times instead of a fault",
        metavar="NAME",
        because=NOT_IN_JMETER,
    )
    times: int = option(
        WHAT,
        "how often the change is made (default 12)",
        metavar="N",
        read=read_count_to(10_000),
        default="12",
        because=NOT_IN_JMETER,
    )
    every_s: float = option(
        WHAT,
        "from the start of one change to the start of the next, at least (default 5s); choose it longer than the "
        "time after which an old process is ended",
        metavar="T",
        read=read_every,
        default="5s",
        because=NOT_IN_JMETER,
    )
    arm: bool = option(
        WHAT,
        "mean it: no fault fires on a real target without it. Only where it is typed, never in the environment or "
        "in a file",
        jmeter=(ElementField("", "switchover.armed"),),
    )
    rehearse: bool = option(
        WHAT,
        "do everything but the kill: baseline, checks, locks, and the commands that would be run, printed",
        jmeter=(ElementField("", "switchover.rehearse"),),
    )
    last_one: bool = option(
        WHAT,
        "mean it: fire though nothing is proven to take over, as with one balancer",
        jmeter=(ElementField("", "switchover.last.one"),),
    )
    allow_other_address: bool = option(
        WHAT,
        "fire though the URL does not lead to the virtual address of the nodes' keepalived.conf",
        jmeter=(ElementField("", "switchover.allow.other.address"),),
    )
    allow_unidentified: bool = option(
        WHAT,
        "fire though nothing identifies the nodes, so that another run at the same nodes would not be noticed",
        jmeter=(ElementField("", "switchover.allow.unidentified"),),
    )
    repeat: int = option(
        WHAT,
        "N drills and their distribution",
        metavar="N",
        read=read_count_to(1_000),
        default="1",
        locust=False,
        because="a load of Locust's or JMeter's own is started as often as it is to run",
    )

    generator: str | None = option(
        LOAD,
        "who makes it (default locust, where it is installed); none: there are only probes",
        choices=(LOCUST, JMETER, NO_LOAD),
        locust=False,
        because=STARTS_ITS_LOAD,
    )
    plan: Path | None = option(
        LOAD,
        "a locustfile, or a test plan (.jmx) for JMeter (default: visitors of a few pages)",
        metavar="FILE",
        read=Path,
        locust=False,
        because=STARTS_ITS_LOAD,
    )
    users: int = option(
        LOAD,
        "users at the same time (default %(default)s)",
        metavar="N",
        read=read_count_to(100_000),
        default="50",
        locust=False,
        because=STARTS_ITS_LOAD,
    )
    spawn_rate: float = option(
        LOAD,
        "users a second at the start (default %(default)g)",
        metavar="R",
        read=read_rate_above_zero,
        default="50",  # Locust warns above 100
        locust=False,
        because=STARTS_ITS_LOAD,
    )
    jmeter_home: Path | None = option(
        LOAD,
        "the JMeter that makes it (default $JMETER_HOME, or what 'make jmeter' made)",
        metavar="DIR",
        read=Path,
        locust=False,
        because=STARTS_ITS_LOAD,
    )

    patient: Mapping[PatientKind, int] | None = option(
        HOW,
        "keep connections open that feel it: pooled=30,idle=200 so many of these kinds, of pooled, idle, download, "
        "upload, sse, websocket, tcp and h2; all: the usual number of all that the target has in [patient]",
        metavar="KINDS",
        read=read_counts,
        alone=ALL,
        because="a test plan of JMeter's is a load of its own; 'switchover drill --generator jmeter' has both",
    )
    twin: bool = option(
        HOW,
        "run the pooled load again beside it, by a client that sends again what was lost (urllib3 with its "
        "defaults), and show what that hides; pooled and idle requests are PUTs then",
        because="a test plan of JMeter's has no pooled load of ours",
    )

    probe_rate: float | None = option(
        HOW,
        "probes a second of the metronome (default 1000 in the lab, 100 elsewhere)",
        metavar="R",
        read=read_rate,
        jmeter=(ElementField("probeRate", "switchover.probe.rate"),),
    )
    """0: no metronome, so the outage is not measured."""
    kept_rate: float = option(
        HOW,
        "probes a second on kept connections, reported apart (default 0)",
        metavar="R",
        read=read_rate,
        default="0",
        jmeter=(ElementField("keptRate"),),
    )
    timeout_s: tuple[float, float] | None = option(
        HOW,
        "of a probe (default 250ms,1s, or the target's)",
        metavar="CONNECT,READ",
        read=read_timeouts,
        locust=False,
        jmeter=(ElementField("timeoutConnect"), ElementField("timeoutRead")),
        because="Locust's option of this name is for the users' clients that have no time-out; its probes have the "
        "target's",
    )
    late_s: float = option(
        HOW,
        "a good answer later than this is late; a probe's time counts from when it was due (default 1s)",
        metavar="T",
        read=read_duration,
        default="1s",
        jmeter=(ElementField("late"),),
    )
    scrape_s: float = option(
        HOW,
        "interval of the telemetry (default 1s)",
        metavar="T",
        read=read_duration,
        default="1s",
        jmeter=(ElementField("scrapeInterval"),),
    )

    baseline_s: float = option(
        WHEN,
        "before the fault (default 5s)",
        metavar="T",
        read=read_duration,
        default="5s",
        locust=False,
        because="beside a load of their own --fault-at says it",
    )
    hold_s: float | None = option(
        WHEN,
        "from the fault to the heal (12s or more if no end is predicted)",
        metavar="T",
        read=read_duration,
        locust=False,
        because="beside a load of their own --heal-at says it",
    )
    recover_s: float | None = option(
        WHEN,
        "from the heal to the end",
        metavar="T",
        read=read_duration,
        locust=False,
        because="a load of their own has an end of its own",
    )
    fault_at_s: float | None = option(
        WHEN,
        "when to fire it, or to make the first change, counted from the start of the load: 30s, 2min, a number is "
        "seconds",
        metavar="T",
        read=read_moment,
        command_line=False,
        jmeter=(ElementField("faultAt", "switchover.fault.at"),),
        because="a drill of the command line has --baseline: it starts its load itself",
    )
    heal_at_s: float | None = option(
        WHEN,
        "when to heal it, counted from the start of the load (default: at the end of the run)",
        metavar="T",
        read=read_moment,
        command_line=False,
        jmeter=(ElementField("healAt", "switchover.heal.at"),),
        because="a drill of the command line has --hold",
    )
    seed: int | None = option(
        WHEN,
        "of the random moment of the kill; run.json has it",
        metavar="N",
        read=read_whole,
        locust=False,
        jmeter=(ElementField("seed", "switchover.seed"),),
        because="a run of Locust's fires at the time that --switchover-fault-at says, which is not random",
    )

    budgets: tuple[str, ...] = option(
        OUTCOME,
        "what may be lost at most: outage=5s, outage=usual+20%%, failback=1s, split-brain=0s, failed=90%%, "
        "failed-total=1%%, late=0, unexplained=0; repeatable. The exit code says whether it was kept",
        name="budget",
        metavar="NAME=LIMIT",
        read=read_budgets,
        repeatable=True,
        jmeter=(ElementField("budgets", "switchover.budgets"),),
    )
    influx: str | None = option(
        OUTCOME,
        "stream the points to this database: http://HOST:8086?db=NAME (InfluxDB 1) or "
        "http://HOST:8086?org=ORG&bucket=BUCKET (2, 3); credentials: SWITCHOVER_INFLUX_TOKEN, or _USER and _PASSWORD "
        "(default: the target file's [influx])",
        metavar="URL",
        read=read_destination,
        jmeter=(ElementField("influx", "switchover.influx"),),
    )
    influx_wait_s: float = option(
        OUTCOME,
        "how long to wait for the database at the end (default 10s)",
        metavar="T",
        read=read_duration,
        default="10s",
        jmeter=(ElementField("", "switchover.influx_wait"),),
    )
    prometheus: str | None = option(
        OUTCOME,
        "serve the run's metrics to Prometheus while it goes on: 127.0.0.1:9464, or :9464 for every address of this "
        "machine. OTEL_EXPORTER_OTLP_ENDPOINT in the environment has them pushed by OTLP",
        metavar="ADDRESS",
        read=read_address,
        because="JMeter serves no metrics by itself; a drill of the command line does so for its JMeter",
    )
    out: Path = option(
        OUTCOME,
        "parent folder of the run directories (default runs)",
        metavar="DIR",
        read=Path,
        default="runs",
        jmeter=(ElementField("out", "switchover.out"),),
    )

    directory: Path | None = None
    """The run directory, where it is made already."""
    name: str = ""
    """Of the run; empty: as its fault."""
    url: str | None = None
    """Where there is no target file: what the load is sent to, an HTTP URL if it is to be probed."""
    command: tuple[str, ...] = ()
    """What the user typed."""
    prefix: str = "--"
    """How the names of the options begin where they were typed."""

    @property
    def what(self) -> str:
        """The fault or the change; empty: it only measures."""
        return self.fault or self.change or ""

    def typed(self, option: str) -> str:
        """An option as its user writes it."""
        return self.prefix + option

    def to_json(self) -> str:
        return json.dumps(asdict(self), default=str)

    @classmethod
    def from_json(cls, text: str) -> "DrillSettings":
        """The settings that `to_json` wrote; UsageError for anything else."""
        try:
            return cls(**{name: _of_json(name, value) for name, value in json.loads(text).items()})
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise UsageError(
                f"a drill was given no usable settings ({type(error).__name__}: {error}): it reads one line of JSON"
            ) from error


_TYPES = {one.name: one.type for one in fields(DrillSettings)}


def _of_json(name: str, value: Any) -> Any:
    """JSON has no paths and no tuples."""
    if isinstance(value, list):
        return tuple(value)
    kind = _TYPES[name]
    return Path(value) if value is not None and Path in (kind, *get_args(kind)) else value


def _declared() -> dict[str, DrillOption]:
    found = {}
    for one in fields(DrillSettings):
        declared = one.metadata.get(DrillOption)
        if declared is not None:
            name = declared.name or one.name.removesuffix("_s").replace("_", "-")
            found[name] = replace(declared, name=name, field=one.name)
    return found


OPTIONS = _declared()
