"""The lab's options on the command line, shared by `lab up` and `drill`."""

import argparse
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from switchover.lab.spec import OPTIONS, CheckKind, KeepalivedPair, LabSpec
from switchover.model.errors import TargetError, UsageError
from switchover.model.units import argument, parse_duration_s
from switchover.target.reader import keepalived_settings
from switchover.target.schema import KEEPALIVED, TargetSchema

WORDS = {"yes": True, "no": False}
OF_CHECK = ("interval", "timeout", "fall", "rise", "weight")


def parse_keepalived(text: str) -> KeepalivedPair:
    """Parse the Keepalived settings of both nodes, such as `advert_int=1,priority=101/100,check=http`. A setting that
    is not in the text gets its default."""
    settings: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise UsageError(f"--keepalived {part!r}: write KEY=VALUE, such as advert_int=1")
        settings[key] = _value(value)
    priority = str(settings.pop("priority", "101/100"))
    match = re.fullmatch(r"(\d{1,3})(?:/(\d{1,3}))?", priority, re.ASCII)
    high, low = (int(match[1]), int(match[2] or int(match[1]) - 1)) if match else (0, 0)
    if not 1 <= low < high <= 254:
        raise UsageError(f"--keepalived priority={priority}: must be HIGH/LOW from 1 to 254: lb1 starts as master")
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
        advice = "VRRP version 2 allows only whole seconds; add version=3"
        raise UsageError(f"--keepalived advert_int={both.advert_int_s:g}: {advice}")
    return KeepalivedPair(lb1=replace(both, priority=high), lb2=replace(both, priority=low))


def _value(text: str) -> Any:
    try:
        return WORDS[text] if text in WORDS else json.loads(text)
    except ValueError:
        return text


def _numbers(read: Callable[[str], float]) -> Callable[[str], tuple[float, ...]]:
    def numbers(text: str) -> tuple[float, ...]:
        return tuple(read(part) for part in text.split(","))

    return numbers


READERS: Mapping[str, Callable[[str], Any]] = {
    "weights": _numbers(int),
    "service_ms": _numbers(float),
    "hard_stop_after_s": argument(parse_duration_s),
    "keepalived": argument(parse_keepalived),
}
"""Parsers for options whose text needs another parser than the type of their default value."""


def _name(field: str) -> str:
    return str(OPTIONS[field].get("name", field))


def spec_options() -> argparse.ArgumentParser:
    """Return an argparse parent parser with the lab's options. `spec_from_arguments` checks the values."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    lab = parser.add_argument_group("the lab")
    for field, texts in OPTIONS.items():
        option = "--" + _name(field).replace("_", "-")
        default, text = getattr(LabSpec(), field), texts["help"]
        if isinstance(default, bool):
            action = argparse.BooleanOptionalAction if default else "store_true"
            lab.add_argument(option, action=action, default=default, help=text)
        else:
            read = READERS.get(field, type(default))
            lab.add_argument(option, type=read, default=default, metavar=texts["metavar"], help=text)
    return parser


def spec_from_arguments(arguments: argparse.Namespace) -> LabSpec:
    return LabSpec(**{field: getattr(arguments, _name(field)) for field in OPTIONS})
