"""`--keepalived advert_int=1,priority=101/100,check=http,…`: the settings of both nodes from one option."""

import difflib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from switchover.lab.spec import CheckKind, KeepalivedPair
from switchover.model.errors import UsageError
from switchover.model.units import parse_duration_s
from switchover.model.vrrp import CheckScript

WORDS = {"yes": True, "no": False, "true": True, "false": False, "on": True, "off": False}


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(value: str) -> int:
        try:
            number = int(value)
        except ValueError:
            number = low - 1
        if not low <= number <= high:
            raise ValueError(f"must be a whole number from {low} to {high}")
        return number

    return read


def _flag(value: str) -> bool:
    if value not in WORDS:
        raise ValueError("must be yes or no")
    return WORDS[value]


def _advert_int(value: str) -> float:
    seconds = parse_duration_s(value)
    if not 0.01 <= seconds <= 40.95:
        raise ValueError("must be from 0.01 to 40.95 seconds (RFC 5798: 12 bits of centiseconds)")
    return seconds


def _preempt_delay(value: str) -> float:
    seconds = parse_duration_s(value)
    if seconds > 1000:
        raise ValueError("Keepalived knows 0 to 1000 seconds")
    return seconds


def _priorities(value: str) -> tuple[int, int]:
    first, slash, second = value.partition("/")
    high = _whole(2, 254)(first)
    return high, _whole(1, 254)(second) if slash else high - 1


def _check(value: str) -> CheckKind:
    if value not in tuple(CheckKind):
        raise ValueError(f"choose {', '.join(CheckKind)}")
    return CheckKind(value)


OF_BOTH: dict[str, tuple[str, Callable[[str], Any]]] = {
    "advert_int": ("advert_int_s", _advert_int),
    "version": ("version", _whole(2, 3)),
    "preempt": ("preempt", _flag),
    "preempt_delay": ("preempt_delay_s", _preempt_delay),
    "down_timer_adverts": ("down_timer_adverts", _whole(1, 100)),
    "unicast": ("unicast", _flag),
}
"""Key -> field of KeepalivedSettings and reader of the value."""
OF_SCRIPT: dict[str, tuple[str, Callable[[str], Any]]] = {
    "interval": ("interval_s", _whole(1, 3600)),
    "timeout": ("timeout_s", _whole(1, 3600)),
    "fall": ("fall", _whole(1, 1000)),
    "rise": ("rise", _whole(1, 1000)),
    "weight": ("weight", _whole(-253, 253)),
}
"""Key -> field of CheckScript and reader of the value."""
READERS = {**OF_BOTH, "priority": ("", _priorities), "check": ("", _check), **OF_SCRIPT}


def parse_keepalived(text: str) -> KeepalivedPair:
    """Both nodes' settings; what is not named keeps its default. Raises UsageError with the known keys."""
    found: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if key not in READERS or not equals:
            near = difflib.get_close_matches(key, READERS, n=1) if key not in READERS else []
            hint = f"did you mean {near[0]}=…? " if near else ""
            raise UsageError(f"--keepalived {part!r}: {hint}known are {', '.join(f'{name}=' for name in READERS)}")
        try:
            found[key] = READERS[key][1](value)
        except ValueError as error:
            raise UsageError(f"--keepalived {key}={value}: {error}") from None
    return _pair(found)


def _pair(found: dict[str, Any]) -> KeepalivedPair:
    default = KeepalivedPair()
    both = replace(default.lb1, **{field: found[key] for key, (field, _) in OF_BOTH.items() if key in found})
    if both.version == 2 and both.advert_int_s % 1:
        raise UsageError(
            f"--keepalived advert_int={both.advert_int_s:g}: VRRP version 2 knows whole seconds only; add version=3"
        )
    kind = found.get("check", CheckKind.PROCESS)
    script = {field: found[key] for key, (field, _) in OF_SCRIPT.items() if key in found}
    script.setdefault("timeout_s", script.get("interval_s", CheckScript().interval_s))
    both = replace(both, check=None if kind is CheckKind.NONE else CheckScript(by=kind.value, **script))
    first, second = found.get("priority", (default.lb1.priority, default.lb2.priority))
    if first <= second:
        raise UsageError(
            f"--keepalived priority={first}/{second}: lb1 must have the higher one, it starts as the master"
        )
    return KeepalivedPair(lb1=replace(both, priority=first), lb2=replace(both, priority=second))
