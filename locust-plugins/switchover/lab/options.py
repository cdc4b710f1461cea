"""The lab's options on the command line, shared by `lab up` and `drill`."""

import argparse
from collections.abc import Callable, Mapping
from typing import Any

from switchover.lab.keepalived_options import parse_keepalived
from switchover.lab.spec import OPTIONS, LabSpec
from switchover.model.units import argument, parse_duration_s

DEFAULTS = LabSpec()


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
"""Parsers for options whose text cannot be parsed by the type of the default value."""


def _name(field: str) -> str:
    return str(OPTIONS[field].get("name", field))


def spec_options() -> argparse.ArgumentParser:
    """Return an argparse parent parser with the lab's options and their defaults. `spec_from_arguments` checks the
    values."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    lab = parser.add_argument_group("the lab")
    for field, texts in OPTIONS.items():
        option = "--" + _name(field).replace("_", "-")
        default, text = getattr(DEFAULTS, field), texts["help"]
        if isinstance(default, bool):
            action = argparse.BooleanOptionalAction if default else "store_true"
            lab.add_argument(option, action=action, default=default, help=text)
        else:
            read = READERS.get(field, type(default))
            lab.add_argument(option, type=read, default=default, metavar=texts["metavar"], help=text)
    return parser


def spec_from_arguments(arguments: argparse.Namespace) -> LabSpec:
    return LabSpec(**{field: getattr(arguments, _name(field)) for field in OPTIONS})
