"""Our arguments on Locust's command line, in its environment and its configuration files; a few of them also on its
web page.

Locust carries every value as text: to the web page and back, and to the workers. So the parser only checks the texts,
and `read_options` is where they become values.
"""

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from switchover.analysis.budget import parse_budget
from switchover.metronome.spec import RATE_LIMIT
from switchover.model.errors import UsageError
from switchover.model.units import parse_duration_s
from switchover.streaming.influx.destination import parse_destination
from switchover.streaming.influx.spec import WAIT_S
from switchover.streaming.metrics.prometheus import parse_address

PREFIX = "switchover_"
RESENDS = ("off", "count")
LONGEST_S = 86_400.0
ARM = f"{PREFIX}arm"
FROM_PAGE = frozenset(PREFIX + name for name in ("late", "timeout", "resends"))
"""All that the web page's form may change. These name no file, no address and no command, arm and fire nothing, and
decide no exit code; everything else is the command line's."""


@dataclass(frozen=True, slots=True)
class Options:
    """Times in seconds, rates per second; None: not given."""

    target: Path | None = None
    out: Path = Path("runs")
    fault: str | None = None
    fault_at_s: float | None = None
    heal_at_s: float | None = None
    arm: bool = False
    last_one: bool = False
    rehearse: bool = False
    budgets: tuple[str, ...] = ()
    probe_rate: float | None = None
    """0: no metronome."""
    kept_rate: float = 0.0
    late_s: float = 1.0
    timeout_connect_s: float | None = None
    timeout_read_s: float | None = None
    """The time-outs of clients that have none of their own."""
    resends: str = "off"
    scrape_s: float = 1.0
    influx: str | None = None
    influx_wait_s: float = WAIT_S
    prometheus: str | None = None
    """The address at which Prometheus finds the metrics."""
    web_hosts: tuple[str, ...] = field(default=(), compare=False)
    open_page: bool = field(default=False, compare=False)
    """These two open the web page to more people; they ask for no measurement."""

    @property
    def ask_for_anything(self) -> bool:
        return self != Options()

    @property
    def ask_for_a_verdict(self) -> bool:
        """Whether the exit code is to be the verdict's."""
        return bool(self.budgets) or self.fault is not None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Locust calls this for its start, and again for every view of its web page."""

    def add(
        name: str,
        metavar: str,
        read: Callable[[str], object],
        help: str,  # noqa: A002
        default: str = "",
    ) -> None:
        add_any(name, metavar=metavar, type=_checked(read), default=default, help=help)

    def add_any(name: str, **settings: Any) -> None:
        on_page = PREFIX + name.replace("-", "_") in FROM_PAGE
        settings |= {"env_var": _variable(name), "include_in_web_ui": on_page}
        parser.add_argument(f"--switchover-{name}", **settings)

    add("target", "FILE", str, "Target file: what is drilled, how it is watched, and its faults")
    add("out", "DIR", str, "Parent folder of the run directories (default runs)", "runs")
    add("fault", "NAME", str, "Fault of the target file to fire; see 'switchover faults'")
    add(
        "fault-at",
        "T",
        _moment,
        "When to fire it, counted from the start of the load: 30s, 2min, a number is seconds",
    )
    add(
        "heal-at",
        "T",
        _moment,
        "When to heal it, counted from the start of the load (default: at the end of the run)",
    )
    add_any(
        "arm",
        action="store_true",
        help="Mean it: no fault fires on a real target without it. Only where it is typed, never in the environment "
        "or in a file",
    )
    add_any(
        "last-one",
        action="store_true",
        help="Mean it: fire though nothing is proven to take over, as with one balancer",
    )
    add_any(
        "rehearse",
        action="store_true",
        help="Do everything but the kill, and print the commands that it would run",
    )
    add_any(
        "budget",
        metavar="NAME=LIMIT",
        action="append",
        type=_checked(_budgets),
        help="What may be lost at most, such as outage=5s, failed=1%%, late=0; repeatable, or several with commas. "
        "The exit code says whether it was kept",
    )
    add("probe-rate", "R", _rate, "Probes a second of the metronome, 0 for none (default 1000 in the lab, else 100)")
    add("kept-rate", "R", _rate, "Probes a second on kept connections, reported apart (default 0)", "0")
    add("late", "T", _duration, "A good answer that took longer than this is late (default 1s)", "1s")
    add("timeout", "CONNECT,READ", _timeouts, "Time-outs for clients that have none, such as 2s,10s")
    add_any(
        "resends",
        choices=list(RESENDS),
        default="off",
        help="Requests that FastHttpUser sends again by itself: off, or count them as attempts (default off)",
    )
    add("scrape", "T", _duration, "Interval of the telemetry (default 1s)", "1s")
    add(
        "influx",
        "URL",
        parse_destination,
        "Stream the points to this database: http://HOST:8086?db=NAME (InfluxDB 1) or "
        "http://HOST:8086?org=ORG&bucket=BUCKET (2, 3). Credentials come from the environment: "
        "SWITCHOVER_INFLUX_TOKEN, or SWITCHOVER_INFLUX_USER and SWITCHOVER_INFLUX_PASSWORD",
    )
    add(
        "prometheus",
        "ADDRESS",
        parse_address,
        "Serve the run's metrics to Prometheus: 127.0.0.1:9464, or :9464 for every address of this machine. "
        "OTEL_EXPORTER_OTLP_ENDPOINT in the environment has them pushed by OTLP",
    )
    add("influx-wait", "T", _duration, "How long to wait for the database at the end (default 10s)", "10s")
    add_any(
        "web-host",
        metavar="NAME",
        action="append",
        help="A name under which browsers reach the web page, beside this machine's names and addresses; repeatable",
    )
    add_any(
        "open-page",
        action="store_true",
        help="Let anyone who reaches the web page fire the armed fault: without --web-login, on all addresses",
    )


def read_options(namespace: object) -> Options:
    """The options as values. UsageError for a wrong value that no parser has checked, such as the web form's."""

    def said(name: str) -> Any:
        return getattr(namespace, PREFIX + name, None)

    def text(name: str) -> str:
        return "" if said(name) is None else str(said(name)).strip()

    def value(name: str, read: Callable[[str], Any], default: Any = None) -> Any:
        written = text(name)
        if not written:
            return default
        try:
            return read(written)
        except UsageError as error:
            raise UsageError(f"{option_of(name)}: {error}") from error

    connect_s, read_s = value("timeout", _timeouts, (None, None))
    defaults = Options()
    return Options(
        target=value("target", Path),
        out=value("out", Path, defaults.out),
        fault=value("fault", str),
        fault_at_s=value("fault_at", _moment),
        heal_at_s=value("heal_at", _moment),
        arm=said("arm") is True,
        last_one=said("last_one") is True,
        rehearse=said("rehearse") is True,
        budgets=_all_budgets(said("budget")),
        probe_rate=value("probe_rate", _rate),
        kept_rate=value("kept_rate", _rate, defaults.kept_rate),
        late_s=value("late", _duration, defaults.late_s),
        timeout_connect_s=connect_s,
        timeout_read_s=read_s,
        resends=value("resends", _resends, defaults.resends),
        scrape_s=value("scrape", _duration, defaults.scrape_s),
        influx=value("influx", str),
        prometheus=value("prometheus", str),
        influx_wait_s=value("influx_wait", _duration, defaults.influx_wait_s),
        web_hosts=tuple(said("web_host") or ()),
        open_page=said("open_page") is True,
    )


def option_of(name: str) -> str:
    """The option as users write it: `--switchover-fault-at` for `fault_at`."""
    return "--switchover-" + name.replace("_", "-")


def _variable(name: str) -> str:
    return "LOCUST_SWITCHOVER_" + name.replace("-", "_").upper()


def _checked(read: Callable[[str], object]) -> Callable[[str], str]:
    """Make a reader that returns the text itself once it has been checked; an empty text is not given."""

    def checked(text: str) -> str:
        if text.strip():
            try:
                read(text)
            except UsageError as error:
                raise argparse.ArgumentTypeError(str(error)) from error
        return text

    return checked


def _all_budgets(value: object) -> tuple[str, ...]:
    texts = value if isinstance(value, list | tuple) else [value]
    try:
        return tuple(budget for text in texts if text for budget in _budgets(str(text)))
    except UsageError as error:
        raise UsageError(f"{option_of('budget')}: {error}") from error


def _budgets(text: str) -> list[str]:
    budgets = text.replace(",", " ").split()
    for budget in budgets:
        parse_budget(budget)
    return budgets


def _duration(text: str) -> float:
    seconds = parse_duration_s(text)
    if not 0 < seconds <= LONGEST_S:
        raise UsageError(f"{text!r} is not above 0 and at most a day")
    return seconds


def _moment(text: str) -> float:
    seconds = parse_duration_s(text)
    if seconds > LONGEST_S:
        raise UsageError(f"{text!r} is more than a day")
    return seconds


def _timeouts(text: str) -> tuple[float, float]:
    connect, comma, read = text.partition(",")
    if not comma:
        raise UsageError(f"{text!r} must be two durations, such as 2s,10s")
    return _duration(connect), _duration(read)


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = math.nan
    if not 0 <= rate <= RATE_LIMIT:
        raise UsageError(f"{text!r} is not a rate from 0 to {RATE_LIMIT:g} a second")
    return rate


def _resends(text: str) -> str:
    if text not in RESENDS:
        raise UsageError(f"{text!r} is neither {' nor '.join(RESENDS)}")
    return text
