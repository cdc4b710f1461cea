"""Our arguments on Locust's command line, in its environment and its configuration files; a few of them also on its
web page. Those of a drill are made of the table in `drill.options`; Locust's own stand here.

Locust carries every value as text: to the web page and back, and to the workers. So the parser only checks the texts,
and `read_options` is where they become values.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from switchover.drill.options import OPTIONS, DrillOption, read_budgets, read_timeouts
from switchover.drill.remote import ConductSpec
from switchover.model.errors import UsageError
from switchover.streaming.influx.spec import WAIT_S

PREFIX = "switchover_"
RESENDS = ("off", "count")
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
    def ask_for_a_conductor(self) -> bool:
        """Whether a load that is only recorded is not what was asked for."""
        return replace(self, out=Options().out) != Options()

    @property
    def ask_for_a_verdict(self) -> bool:
        """Whether the exit code is to be the verdict's."""
        return bool(self.budgets) or self.fault is not None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Locust calls this for its start, and again for every view of its web page."""

    for option in OPTIONS.values():
        if option.locust:
            _add_option(parser, option)
    _add(
        parser,
        "timeout",
        metavar="CONNECT,READ",
        type=_checked(read_timeouts),
        default="",
        help="Time-outs for clients that have none, such as 2s,10s",
    )
    _add(
        parser,
        "resends",
        choices=list(RESENDS),
        default="off",
        help="Requests that FastHttpUser sends again by itself: off, or count them as attempts (default off)",
    )
    _add(
        parser,
        "web-host",
        metavar="NAME",
        action="append",
        help="A name under which browsers reach the web page, beside this machine's names and addresses; repeatable",
    )
    _add(
        parser,
        "open-page",
        action="store_true",
        help="Let anyone who reaches the web page fire the armed fault: without --web-login, on all addresses",
    )


def _add_option(parser: argparse.ArgumentParser, option: DrillOption) -> None:
    """One of the table, whose help begins in Locust's way, with a capital letter."""
    settings: dict[str, Any] = {"help": option.help[0].upper() + option.help[1:]}
    if option.is_switch:
        settings |= {"action": "store_true"}
    elif option.repeatable:
        settings |= {"action": "append", "metavar": option.metavar, "type": _checked(option.read)}
    else:
        settings |= {"metavar": option.metavar, "type": _checked(option.read), "default": option.default}
    _add(parser, option.name, **settings)


def _add(parser: argparse.ArgumentParser, name: str, **settings: Any) -> None:
    on_page = PREFIX + name.replace("-", "_") in FROM_PAGE
    settings |= {"env_var": _variable(name), "include_in_web_ui": on_page}
    parser.add_argument(f"--switchover-{name}", **settings)


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

    def listed(name: str, default: Any = None) -> Any:
        """The value of an option of the table."""
        return value(name, OPTIONS[name.replace("_", "-")].read, default)

    connect_s, read_s = value("timeout", read_timeouts, (None, None))
    defaults = Options()
    return Options(
        target=value("target", Path),
        out=value("out", Path, defaults.out),
        fault=listed("fault"),
        fault_at_s=listed("fault_at"),
        heal_at_s=listed("heal_at"),
        arm=said("arm") is True,
        last_one=said("last_one") is True,
        rehearse=said("rehearse") is True,
        budgets=_all_budgets(said("budget")),
        probe_rate=listed("probe_rate"),
        kept_rate=listed("kept_rate", defaults.kept_rate),
        late_s=listed("late", defaults.late_s),
        timeout_connect_s=connect_s,
        timeout_read_s=read_s,
        resends=value("resends", _resends, defaults.resends),
        scrape_s=listed("scrape", defaults.scrape_s),
        influx=value("influx", str),
        prometheus=listed("prometheus"),
        influx_wait_s=listed("influx_wait", defaults.influx_wait_s),
        web_hosts=tuple(said("web_host") or ()),
        open_page=said("open_page") is True,
    )


def conduct_spec(
    options: Options, directory: Path, name: str, url: str | None, command: Sequence[str]
) -> ConductSpec:
    """The conductor's settings. `url`: where the load goes; without a target file probed only if a rate is given."""
    unprobed = 0.0 if options.target is None else None
    return ConductSpec(
        directory=directory,
        run=directory.name,
        name=name,
        target_file=None if options.target is None else options.target.absolute(),
        url=url,
        fault=options.fault,
        arm=options.arm,
        last_one=options.last_one,
        rehearse=options.rehearse,
        fault_at_s=options.fault_at_s,
        heal_at_s=options.heal_at_s,
        budgets=options.budgets,
        probe_rate=unprobed if options.probe_rate is None else options.probe_rate,
        kept_rate=options.kept_rate,
        late_s=options.late_s,
        scrape_s=options.scrape_s,
        influx=options.influx,
        influx_wait_s=options.influx_wait_s,
        prometheus=options.prometheus,
        command=tuple(command),
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
        return tuple(budget for text in texts if text for budget in read_budgets(str(text)))
    except UsageError as error:
        raise UsageError(f"{option_of('budget')}: {error}") from error


def _resends(text: str) -> str:
    if text not in RESENDS:
        raise UsageError(f"{text!r} is neither {' nor '.join(RESENDS)}")
    return text
