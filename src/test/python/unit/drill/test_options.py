"""The table of a drill's options: each reaches the command line, Locust and JMeter alike, or says why it does not."""

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from support.contract import FOLDER
from support.option_vectors import FILE, option_vectors
from switchover.cli import drill_options
from switchover.drill.options import OPTIONS, DrillOption
from switchover.drill.remote import ConductSpec
from switchover.locust import options as locust_options

BY_NAME = [pytest.param(option, id=option.name) for option in OPTIONS.values()]
LOCUST = [pytest.param(option, id=option.name) for option in OPTIONS.values() if option.locust]
WITH_THE_LOAD = {"out"}
"""What the run directory is made with, which the drill is given."""


class LocustParser(argparse.ArgumentParser):
    """Locust's own parser takes two more settings with each argument."""

    def add_argument(self, *names: Any, **settings: Any) -> Any:
        settings.pop("env_var", None)
        settings.pop("include_in_web_ui", None)
        return super().add_argument(*names, **settings)


def command_line() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    drill_options.add_options(parser)
    return parser


def of_locust() -> argparse.ArgumentParser:
    parser = LocustParser()
    locust_options.add_arguments(parser)
    return parser


@pytest.mark.parametrize("option", BY_NAME)
def test_an_option_reaches_all_three_or_says_why_not(option: DrillOption) -> None:
    reaches_all = option.command_line and option.locust and bool(option.jmeter)
    assert reaches_all != bool(option.because)


@pytest.mark.parametrize("option", BY_NAME)
def test_the_command_line_has_it(option: DrillOption) -> None:
    assert (f"--{option.name}" in command_line().format_help()) == option.command_line


@pytest.mark.parametrize("option", LOCUST)
def test_locust_has_it_and_its_default(option: DrillOption) -> None:
    parser = of_locust()
    (action,) = [one for one in parser._actions if f"--switchover-{option.name}" in one.option_strings]
    assert bool(action.default) == (bool(option.default) and not option.is_switch)
    given = locust_options.read_options(parser.parse_args([]))
    assert given == locust_options.Options()


@pytest.mark.parametrize("option", LOCUST)
def test_locust_reads_it(option: DrillOption) -> None:
    """An option of the table that `read_options` forgets would be taken and have no effect."""
    given = locust_options.read_options(of_locust().parse_args(words_of(option)))
    assert given != locust_options.Options()


@pytest.mark.parametrize("option", [one for one in LOCUST if one.id not in WITH_THE_LOAD])
def test_the_drill_beside_locusts_load_is_told_of_it(option: DrillOption) -> None:
    """One that `conduct_spec` forgets would be read and have no effect."""
    before = ["--switchover-target=site.toml", *(["--switchover-fault=lb-kill"] if option.name == "fault-at" else [])]
    assert spec_of([*before, *words_of(option)]) != spec_of(before)


def words_of(option: DrillOption) -> list[str]:
    value = {
        "NAME=LIMIT": "outage=5s",
        "URL": "http://influx:8086?db=load",
        "R": "20",
        "ADDRESS": "127.0.0.1:9464",
    }.get(option.metavar, "30s")
    return [f"--switchover-{option.name}", *([] if option.is_switch else [value])]


def spec_of(words: list[str]) -> ConductSpec:
    given = locust_options.read_options(of_locust().parse_args(words))
    return locust_options.conduct_spec(given, Path("run"), "name", None, [])


def test_jmeter_is_held_to_the_same_table() -> None:
    """`python -m support.option_vectors` writes the file anew; OptionsContractTest.java reads it."""
    assert json.loads((FOLDER / FILE).read_text(encoding="utf-8")) == option_vectors()
