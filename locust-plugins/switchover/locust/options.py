"""Switchover's options on Locust's command line, in the environment and in Locust's configuration files.

The table in `drill.options` has the options of a drill. This file has the options that only Locust has.

Locust passes every value as text to the workers. The parser therefore only checks the texts, and `read_options`
converts the texts to values.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from switchover.drill.options import OPTIONS, DrillOption, DrillSettings, read_timeouts
from switchover.model.errors import UsageError
from switchover.rundir.former_names import FORMER_OPTIONS

PREFIX = "switchover_"
ARM = f"{PREFIX}arm"
NOTHING_CHOSEN = DrillSettings(prefix="--switchover-")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The settings of the drill that runs at the same time as the load, and the options that only Locust has."""

    drill: DrillSettings = NOTHING_CHOSEN
    timeout_connect_s: float | None = None
    timeout_read_s: float | None = None
    """The time-outs for clients without time-outs, in seconds: `timeout_connect_s` and `timeout_read_s`."""

    @property
    def ask_for_anything(self) -> bool:
        return self != Options()

    @property
    def ask_for_a_controller(self) -> bool:
        """True if the options need a controller. False if a recording is enough."""
        return replace(self, drill=replace(self.drill, out=NOTHING_CHOSEN.out)) != Options()

    @property
    def ask_for_a_verdict(self) -> bool:
        """True if the verdict decides the exit code."""
        return bool(self.drill.limits) or self.drill.fault is not None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add Switchover's arguments to Locust's parser. Locust calls this function at its start, and each time the web
    page is shown."""

    present_names = {option.name for option in OPTIONS.values() if option.locust}
    for former, present in FORMER_OPTIONS.items():
        if present in present_names:
            refuse = _refuse_former(present)
            _add(parser, former, nargs="?", const="", type=refuse, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    for option in OPTIONS.values():
        if option.locust:
            _add_option(parser, option)
    _add(
        parser,
        "timeout",
        metavar="CONNECT,READ",
        type=_checked(read_timeouts),
        default="",
        help="Timeouts for clients without timeouts, such as 2s,10s. This option does not replace timeouts of your "
        "locustfile",
    )


def _add_option(parser: argparse.ArgumentParser, option: DrillOption) -> None:
    """Add an option of the table. The help text begins with a capital letter, like the help texts of Locust's
    options."""
    settings: dict[str, Any] = {"help": option.help_text[0].upper() + option.help_text[1:]}
    if option.is_switch:
        settings |= {"action": "store_true"}
    elif option.repeatable:
        settings |= {"action": "append", "metavar": option.metavar, "type": _checked(option.read)}
    else:
        settings |= {"metavar": option.metavar, "type": _checked(option.read), "default": option.default}
    _add(parser, option.name, **settings)


def _refuse_former(present: str) -> Callable[[str], str]:
    def refuse(_: str) -> str:
        raise argparse.ArgumentTypeError(f"this option is now called --switchover-{present}")

    return refuse


def _add(parser: argparse.ArgumentParser, name: str, **settings: Any) -> None:
    variable = "LOCUST_SWITCHOVER_" + name.replace("-", "_").upper()
    parser.add_argument(f"--switchover-{name}", env_var=variable, include_in_web_ui=False, **settings)


def read_options(namespace: object) -> Options:
    """Return the options as values. Raises UsageError for a wrong value that the parser did not check."""
    connect_s, read_s = _read(namespace, "timeout", read_timeouts, (None, None))
    chosen = {
        option.field: _read_option(namespace, option, getattr(NOTHING_CHOSEN, option.field))
        for option in OPTIONS.values()
        if option.locust
    }
    return Options(
        drill=replace(NOTHING_CHOSEN, **chosen),
        timeout_connect_s=connect_s,
        timeout_read_s=read_s,
    )


def _given(namespace: object, name: str) -> Any:
    return getattr(namespace, PREFIX + name.replace("-", "_"), None)


def _read_option(namespace: object, option: DrillOption, default: Any) -> Any:
    """Return the value of an option. A switch is on only if its value is the bool `True`, so a text from a web form
    cannot set a switch."""
    given = _given(namespace, option.name)
    if option.is_switch:
        return given is True
    if not option.repeatable:
        return _read(namespace, option.name, option.read, default)
    texts = given if isinstance(given, list | tuple) else [given]
    return tuple(value for text in texts if text for value in _checked_value(option.name, option.read, str(text)))


def _read(namespace: object, name: str, read: Callable[[str], Any], default: Any) -> Any:
    given = _given(namespace, name)
    text = "" if given is None else str(given).strip()
    return _checked_value(name, read, text) if text else default


def _checked_value(name: str, read: Callable[[str], Any], text: str) -> Any:
    try:
        return read(text)
    except UsageError as error:
        raise UsageError(f"{option_of(name)}: {error}") from error


def controller_settings(
    options: Options, directory: Path, name: str, url: str | None, command: Sequence[str]
) -> DrillSettings:
    """Return the settings of the drill. `url`: the address of the load, which is probed only if there is a target
    file or a probe rate."""
    drill = options.drill
    return replace(
        drill,
        target=None if drill.target is None else drill.target.absolute(),
        probe_rate=0.0 if drill.probe_rate is None and drill.target is None else drill.probe_rate,
        directory=directory,
        name=name,
        url=url,
        command=tuple(command),
    )


def option_of(name: str) -> str:
    """Return the name of an option on the command line, for example `--switchover-fault-at` for `fault_at`."""
    return "--switchover-" + name.replace("_", "-")


def _checked(read: Callable[[str], object]) -> Callable[[str], str]:
    """Return a function that checks a text and returns the text unchanged. An empty text counts as not set."""

    def checked(text: str) -> str:
        if text.strip():
            try:
                read(text)
            except UsageError as error:
                raise argparse.ArgumentTypeError(str(error)) from error
        return text

    return checked
