"""The settings of a drill. Each option of tables/options.toml has a field of `DrillSettings`. Some fields have no
option."""

import dataclasses
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from msgspec import convert

from switchover.connections.spec import read_counts
from switchover.model.errors import UsageError
from switchover.model.held_kind import HeldKind
from switchover.model.units import parse_duration_s
from switchover.prober.spec import RATE_LIMIT
from switchover.process.measuring_child import ChildSpec
from switchover.streaming.influx.destination import parse_destination
from switchover.streaming.metrics.prometheus import parse_address
from switchover.tables import read_table
from switchover.verdict.limit import parse_limit

LONGEST_S = 86_400.0
SHORTEST_S = 1.0
"""The shortest time from one change to the next, in seconds."""


def read_duration(text: str) -> float:
    seconds = read_moment(text)
    if not seconds:
        raise UsageError(f"{text!r} is not above 0")
    return seconds


def read_every(text: str) -> float:
    seconds = read_duration(text)
    if seconds < SHORTEST_S:
        raise UsageError(f"{text!r} is too short: each change is observed for at least {SHORTEST_S:g} s")
    return seconds


def read_moment(text: str) -> float:
    seconds = parse_duration_s(text)
    if seconds > LONGEST_S:
        raise UsageError(f"{text!r} is more than a day")
    return seconds


def read_rate(text: str) -> float:
    with suppress(ValueError):
        if 0 <= (rate := float(text)) <= RATE_LIMIT:
            return rate
    raise UsageError(f"{text!r} is not a rate from 0 to {RATE_LIMIT:g} a second")


def read_rate_above_zero(text: str) -> float:
    if rate := read_rate(text):
        return rate
    raise UsageError(f"{text!r} is not above 0")


def read_timeouts(text: str) -> tuple[float, float]:
    connect, comma, read = text.partition(",")
    if not comma:
        raise UsageError(f"{text!r} must be two durations, such as 250ms,1s")
    return read_duration(connect), read_duration(read)


def read_whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"{text!r} is not a whole number") from None


def read_count_to(highest: int) -> Callable[[str], int]:
    def read_count(text: str) -> int:
        if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= highest:
            raise UsageError(f"{text!r} is not a count from 1 to {highest}")
        return int(text)

    return read_count


def checked(parse: Callable[[str], object]) -> Callable[[str], str]:
    """Return a reader that checks a text and returns it unchanged."""

    def read_text(text: str) -> str:
        parse(text)
        return text

    return read_text


def read_limits(text: str) -> tuple[str, ...]:
    limits = tuple(text.replace(",", " ").split())
    for limit in limits:
        parse_limit(limit)
    return limits


READERS: dict[str, Callable[[str], Any]] = {
    "": str,
    "path": Path,
    "whole": read_whole,
    "duration": read_duration,
    "every": read_every,
    "moment": read_moment,
    "rate": read_rate,
    "rate above zero": read_rate_above_zero,
    "timeouts": read_timeouts,
    "kinds": read_counts,
    "limits": read_limits,
    "destination": checked(parse_destination),
    "address": checked(parse_address),
}
"""The functions that convert the text of an option to its value. The key is the value of `reads` in
tables/options.toml."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrillOption:
    """An option of tables/options.toml."""

    name: str
    group: str
    help: str
    metavar: str = ""
    choices: tuple[str, ...] = ()
    reads: str = ""
    most: int = 0
    alone: str = ""
    """The value if the user types the option without a value. Empty: the option needs a value."""
    default: str = ""
    unset: str = ""
    repeatable: bool = False
    """True: the option may be repeated, and its reader returns a tuple."""
    command_line: bool = True
    locust: bool = True
    jmeter: tuple[dict[str, str], ...] = ()

    @property
    def field(self) -> str:
        """The field of `DrillSettings`. The field's name ends in `_s` for seconds, and in `s` for several values."""
        is_time = self.reads in ("duration", "every", "moment", "timeouts")
        return self.name.replace("-", "_") + ("_s" if is_time else "s" if self.repeatable else "")

    def read(self, text: str) -> Any:
        return (read_count_to(self.most) if self.most else READERS[self.reads])(text)

    @property
    def help_text(self) -> str:
        """The help text with the default value, for argparse."""
        default = f" (default: {self.unset})" if self.unset else f" (default {self.default})" if self.default else ""
        return (self.help + default).replace("%", "%%")

    @property
    def is_switch(self) -> bool:
        return not self.metavar and not self.choices

    @property
    def default_value(self) -> Any:
        if self.default:
            return self.read(self.default)
        return False if self.is_switch else () if self.repeatable else None


def _read_options() -> dict[str, DrillOption]:
    tables = tomllib.loads(read_table("options.toml"))
    return {name: convert({"name": name, **keys}, DrillOption) for name, keys in tables.items()}


OPTIONS = _read_options()


def option(name: str) -> Any:
    """Return the dataclass field for the value of an option."""
    return dataclasses.field(default=OPTIONS[name].default_value)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrillSettings(ChildSpec):
    """The settings of one drill. Times are in seconds, rates per second. None: the user did not set the option."""

    child: ClassVar[str] = "drill"

    target: Path | None = option("target")
    fault: str | None = option("fault")
    change: str | None = option("change")
    times: int = option("times")
    every_s: float = option("every")
    arm: bool = option("arm")
    dry_run: bool = option("dry-run")
    allow_no_backup: bool = option("allow-no-backup")
    allow_other_address: bool = option("allow-other-address")
    allow_unidentified: bool = option("allow-unidentified")
    repeat: int = option("repeat")
    generator: str | None = option("generator")
    plan: Path | None = option("plan")
    users: int = option("users")
    spawn_rate: float = option("spawn-rate")
    jmeter_home: Path | None = option("jmeter-home")
    connections: Mapping[HeldKind, int] | None = option("connections")
    retrying_client: bool = option("retrying-client")
    probe_rate: float | None = option("probe-rate")
    """Probes per second. 0: there is no prober, so the outage is not measured."""
    kept_rate: float = option("kept-rate")
    timeout_s: tuple[float, float] | None = option("timeout")
    late_s: float = option("late")
    scrape_s: float = option("scrape")
    baseline_s: float = option("baseline")
    hold_s: float | None = option("hold")
    recover_s: float | None = option("recover")
    fault_at_s: float | None = option("fault-at")
    heal_at_s: float | None = option("heal-at")
    seed: int | None = option("seed")
    limits: tuple[str, ...] = option("limit")
    influx: str | None = option("influx")
    influx_wait_s: float = option("influx-wait")
    prometheus: str | None = option("prometheus")
    out: Path = option("out")

    directory: Path | None = None
    """The run directory, if it already exists."""
    name: str = ""
    """The name of the run. Empty: the name of the fault."""
    url: str | None = None
    """The URL that the load requests if there is no target file. The prober needs an HTTP URL."""
    command: tuple[str, ...] = ()
    prefix: str = "--"

    @property
    def what(self) -> str:
        """The name of the fault or change. Empty: the drill only measures."""
        return self.fault or self.change or ""

    def typed(self, option: str) -> str:
        return self.prefix + option
