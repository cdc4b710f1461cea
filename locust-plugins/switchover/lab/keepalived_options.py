"""The option `--keepalived advert_int=1,priority=101/100,check=http,…`, which sets Keepalived's settings on both
nodes."""

import json
import re
from dataclasses import replace
from typing import Any

from switchover.lab.spec import CheckKind, KeepalivedPair
from switchover.model.errors import TargetError, UsageError
from switchover.target.reader import keepalived_settings
from switchover.target.schema import KEEPALIVED, TargetSchema

WORDS = {"yes": True, "no": False, "true": True, "false": False, "on": True, "off": False}
OF_CHECK = ("interval", "timeout", "fall", "rise", "weight")


def parse_keepalived(text: str) -> KeepalivedPair:
    """Return the settings of both nodes. Settings that the text does not mention have their default values. Raises
    UsageError for a wrong setting."""
    settings: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise UsageError(f"--keepalived {part!r}: write KEY=VALUE, such as advert_int=1")
        settings[key] = _value(value)
    high, low = _priorities(str(settings.pop("priority", "101/100")))
    kind = settings.pop("check", "process")
    if kind not in tuple(CheckKind):
        raise UsageError(f"--keepalived check={kind}: choose {', '.join(CheckKind)}")
    check = {key: settings.pop(key) for key in OF_CHECK if key in settings}
    for key in ("interval", "timeout"):
        if not isinstance(check.get(key, 1), int):
            raise UsageError(f"--keepalived {key}={check[key]}: must be whole seconds")
    if kind != CheckKind.NONE:
        settings["check"] = check | {"by": kind}
    try:
        both = keepalived_settings(TargetSchema("--keepalived").check(settings, KEEPALIVED))
    except TargetError as error:
        raise UsageError(str(error)) from error
    if not 0.01 <= both.advert_int_s <= 40.95:
        raise UsageError("--keepalived advert_int: must be from 0.01 to 40.95 seconds (12 bits of centiseconds)")
    if both.version == 2 and both.advert_int_s % 1:
        raise UsageError(
            f"--keepalived advert_int={both.advert_int_s:g}: VRRP version 2 allows only whole seconds; add version=3"
        )
    return KeepalivedPair(lb1=replace(both, priority=high), lb2=replace(both, priority=low))


def _value(text: str) -> Any:
    """Return a number, a boolean, or the unchanged text."""
    try:
        return WORDS[text] if text in WORDS else json.loads(text)
    except ValueError:
        return text


def _priorities(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,3})(?:/(\d{1,3}))?", text, re.ASCII)
    high, low = (int(match[1]), int(match[2] or int(match[1]) - 1)) if match else (0, 0)
    if not 1 <= low < high <= 254:
        raise UsageError(f"--keepalived priority={text}: must be HIGH/LOW from 1 to 254: lb1 starts as master")
    return high, low
