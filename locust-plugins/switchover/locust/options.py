"""Switchover's options on Locust's command line, in the environment and in Locust's configuration files.

Locust passes every value as text to the workers. The parser therefore only checks the texts, and `read_options`
converts the texts to values.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from switchover.drill.options import OPTIONS, DrillOption, DrillSettings
from switchover.model.errors import UsageError
from switchover.rundir.former_names import FORMER_OPTIONS

PREFIX = "switchover_"
ARM = f"{PREFIX}arm"
NOTHING_CHOSEN = DrillSettings(prefix="--switchover-")
TIMEOUT = OPTIONS["timeout"]
"""For Locust, this option sets the timeouts of the load's clients, not of the probes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    drill: DrillSettings = NOTHING_CHOSEN
    timeouts_s: tuple[float | None, float | None] = (None, None)
    """The connect time-out and the read time-out, in seconds, for clients without time-outs."""

    @property
    def ask_for_anything(self) -> bool:
        return self != Options()

    @property
    def ask_for_a_controller(self) -> bool:
        """True if the run needs a controller. False if a recording is enough."""
        return replace(self, drill=replace(self.drill, out=NOTHING_CHOSEN.out)) != Options()

    @property
    def ask_for_a_verdict(self) -> bool:
        return bool(self.drill.limits) or self.drill.fault is not None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments to Locust's parser. Locust calls this function each time the web page is shown."""

    present_names = {option.name for option in OPTIONS.values() if option.locust}
    for former, present in FORMER_OPTIONS.items():
        if present in present_names:
            refuse = partial(_refuse_former, present)
            _add(parser, former, nargs="?", const="", type=refuse, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    for option in OPTIONS.values():
        if option.locust:
            settings: dict[str, Any] = {"action": "store_true"}
            if not option.is_switch:
                more = {"action": "append"} if option.repeatable else {"default": option.default}
                settings = {"metavar": option.metavar, "type": partial(_check, option.read), **more}
            # The help text begins with a capital letter, like the help texts of Locust's options.
            _add(parser, option.name, help=option.help_text[0].upper() + option.help_text[1:], **settings)
    _add(
        parser,
        TIMEOUT.name,
        metavar=TIMEOUT.metavar,
        type=partial(_check, TIMEOUT.read),
        default="",
        help="Timeouts for clients without timeouts, such as 2s,10s. This option does not replace timeouts of your "
        "locustfile",
    )


def _refuse_former(present: str, _text: str) -> str:
    raise argparse.ArgumentTypeError(f"this option is now called --switchover-{present}")


def _add(parser: argparse.ArgumentParser, name: str, **settings: Any) -> None:
    variable = "LOCUST_SWITCHOVER_" + name.replace("-", "_").upper()
    parser.add_argument(f"--switchover-{name}", env_var=variable, include_in_web_ui=False, **settings)


def read_options(namespace: object) -> Options:
    """Return the options as values. Raises UsageError for a wrong value that the parser did not check."""
    chosen = {
        option.field: _read_option(namespace, option, getattr(NOTHING_CHOSEN, option.field))
        for option in OPTIONS.values()
        if option.locust
    }
    timeouts_s = _read_option(namespace, TIMEOUT, (None, None))
    return Options(drill=replace(NOTHING_CHOSEN, **chosen), timeouts_s=timeouts_s)


def _read_option(namespace: object, option: DrillOption, default: Any) -> Any:
    """Return the value of an option. Only the bool `True` sets a switch, so a text from a web form cannot set a
    switch."""
    entry = getattr(namespace, PREFIX + option.name.replace("-", "_"), None)
    if option.is_switch:
        return entry is True
    texts = [str(text).strip() for text in (entry if isinstance(entry, list | tuple) else [entry]) if text]
    try:
        values = [option.read(text) for text in texts if text]
    except UsageError as error:
        raise UsageError(f"{NOTHING_CHOSEN.typed(option.name)}: {error}") from error
    if option.repeatable:
        return tuple(value for several in values for value in several)
    return values[0] if values else default


def controller_settings(
    options: Options, directory: Path, name: str, url: str | None, command: Sequence[str]
) -> DrillSettings:
    """Return the settings of the drill. `url` is probed only if the options name a target file or a probe rate."""
    drill = options.drill
    return replace(
        drill,
        target=drill.target and drill.target.absolute(),
        probe_rate=0.0 if drill.probe_rate is None and drill.target is None else drill.probe_rate,
        directory=directory,
        name=name,
        url=url,
        command=tuple(command),
    )


def _check(read: Callable[[str], object], text: str) -> str:
    """Check the text of an option, and return the text unchanged. An empty text means that the option is not set."""
    if text.strip():
        try:
            read(text)
        except UsageError as error:
            raise argparse.ArgumentTypeError(str(error)) from error
    return text
