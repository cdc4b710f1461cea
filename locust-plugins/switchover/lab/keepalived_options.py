"""`--keepalived advert_int=1,priority=101/100,check=http,…`: the settings of both nodes from one option."""

import difflib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from switchover.lab.spec import CheckKind, KeepalivedPair
from switchover.model.errors import UsageError
from switchover.model.units import parse_duration_s
from switchover.model.vrrp import CheckScript, KeepalivedSettings

WORDS = {"yes": True, "no": False, "true": True, "false": False, "on": True, "off": False}


@dataclass(slots=True)
class _Draft:
    """The settings while they are read; priorities are apart because the nodes differ there."""

    common: KeepalivedSettings = field(default_factory=lambda: KeepalivedPair().lb1)
    script: CheckScript = field(default_factory=CheckScript)
    priorities: tuple[int, int] = (KeepalivedPair().lb1.priority, KeepalivedPair().lb2.priority)
    check: CheckKind = CheckKind.PROCESS
    timeout_given: bool = False


def parse_keepalived(text: str) -> KeepalivedPair:
    """Both nodes' settings; what is not named keeps its default. Raises UsageError with the known keys."""
    draft = _Draft()
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        setter = SETTERS.get(key)
        if setter is None or not equals:
            near = difflib.get_close_matches(key, SETTERS, n=1)
            hint = f"did you mean {near[0]}=…? " if near and setter is None else ""
            raise UsageError(f"--keepalived {part!r}: {hint}known are {', '.join(f'{name}=' for name in SETTERS)}")
        setter(draft, key, value)
    return _finish(draft)


def _finish(draft: _Draft) -> KeepalivedPair:
    settings = draft.common
    if settings.version == 2 and settings.advert_int_s != int(settings.advert_int_s):
        raise UsageError(
            f"--keepalived advert_int={settings.advert_int_s:g}: VRRP version 2 knows whole seconds only; "
            "add version=3"
        )
    script = replace(draft.script, by=draft.check.value)
    if not draft.timeout_given:
        script = replace(script, timeout_s=script.interval_s)
    settings = replace(settings, check=None if draft.check is CheckKind.NONE else script)
    first, second = draft.priorities
    if first <= second:
        raise UsageError(
            f"--keepalived priority={first}/{second}: lb1 must have the higher one, it starts as the master"
        )
    return KeepalivedPair(lb1=replace(settings, priority=first), lb2=replace(settings, priority=second))


def _priority(draft: _Draft, key: str, value: str) -> None:
    first, slash, second = value.partition("/")
    high = _number(key, first, 2, 254)
    draft.priorities = (high, _number(key, second, 1, 254) if slash else high - 1)


def _advert_int(draft: _Draft, key: str, value: str) -> None:
    seconds = parse_duration_s(value)
    if not 0.01 <= seconds <= 40.95:
        raise UsageError(
            f"--keepalived {key}={value}: must be from 0.01 to 40.95 seconds (RFC 5798: 12 bits of centiseconds)"
        )
    draft.common = replace(draft.common, advert_int_s=seconds)


def _preempt_delay(draft: _Draft, key: str, value: str) -> None:
    seconds = parse_duration_s(value)
    if seconds > 1000:
        raise UsageError(f"--keepalived {key}={value}: Keepalived knows 0 to 1000 seconds")
    draft.common = replace(draft.common, preempt_delay_s=seconds)


def _check(draft: _Draft, key: str, value: str) -> None:
    try:
        draft.check = CheckKind(value)
    except ValueError:
        raise UsageError(f"--keepalived {key}={value}: choose {', '.join(CheckKind)}") from None


def _instance_setter(name: str, low: int, high: int) -> Callable[[_Draft, str, str], None]:
    def setter(draft: _Draft, key: str, value: str) -> None:
        settings: dict[str, Any] = {name: _number(key, value, low, high)}
        draft.common = replace(draft.common, **settings)

    return setter


def _flag(name: str) -> Callable[[_Draft, str, str], None]:
    def setter(draft: _Draft, key: str, value: str) -> None:
        if value not in WORDS:
            raise UsageError(f"--keepalived {key}={value}: must be yes or no")
        settings: dict[str, Any] = {name: WORDS[value]}
        draft.common = replace(draft.common, **settings)

    return setter


def _script_setter(name: str, low: int, high: int) -> Callable[[_Draft, str, str], None]:
    def setter(draft: _Draft, key: str, value: str) -> None:
        settings: dict[str, Any] = {name: _number(key, value, low, high)}
        draft.script = replace(draft.script, **settings)
        draft.timeout_given = draft.timeout_given or key == "timeout"

    return setter


def _number(key: str, value: str, low: int, high: int) -> int:
    try:
        number = int(value)
    except ValueError:
        number = low - 1
    if not low <= number <= high:
        raise UsageError(f"--keepalived {key}={value}: must be a whole number from {low} to {high}")
    return number


SETTERS: dict[str, Callable[[_Draft, str, str], None]] = {
    "advert_int": _advert_int,
    "priority": _priority,
    "version": _instance_setter("version", 2, 3),
    "preempt": _flag("preempt"),
    "preempt_delay": _preempt_delay,
    "down_timer_adverts": _instance_setter("down_timer_adverts", 1, 100),
    "unicast": _flag("unicast"),
    "check": _check,
    "interval": _script_setter("interval_s", 1, 3600),
    "timeout": _script_setter("timeout_s", 1, 3600),
    "fall": _script_setter("fall", 1, 1000),
    "rise": _script_setter("rise", 1, 1000),
    "weight": _script_setter("weight", -253, 253),
}
