"""The table of a drill's options: the command line, Locust and JMeter read them alike."""

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from support.contract import FOLDER
from support.option_vectors import FILE, option_vectors
from switchover.cli import drill as drill_command
from switchover.cli.drill import read_settings
from switchover.drill.options import OPTIONS, DrillOption, DrillSettings
from switchover.locust import options as locust_options
from switchover.model.errors import UsageError

COMMAND_LINE = [pytest.param(option, id=option.name) for option in OPTIONS.values() if option.command_line]
LOCUST = [pytest.param(option, id=option.name) for option in OPTIONS.values() if option.locust]


class LocustParser(argparse.ArgumentParser):
    """Locust's own parser takes two more settings with each argument."""

    def add_argument(self, *names: Any, **settings: Any) -> Any:
        settings.pop("env_var", None)
        settings.pop("include_in_web_ui", None)
        return super().add_argument(*names, **settings)


def command_line() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    drill_command.add_arguments(parser)
    return parser


def of_locust() -> argparse.ArgumentParser:
    parser = LocustParser()
    locust_options.add_arguments(parser)
    return parser


@pytest.mark.parametrize("option", LOCUST)
def test_locust_has_it_and_its_default(option: DrillOption) -> None:
    parser = of_locust()
    (action,) = [one for one in parser._actions if f"--switchover-{option.name}" in one.option_strings]
    assert bool(action.default) == (bool(option.default) and not option.is_switch)
    given = locust_options.read_options(parser.parse_args([]))
    assert given == locust_options.Options()


@pytest.mark.parametrize(
    ("typed", "present"), [(["--switchover-rehearse"], "dry-run"), (["--switchover-budget", "outage=5s"], "limit")]
)
def test_locust_refuses_a_former_option_and_names_the_present_one(
    typed: list[str], present: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        of_locust().parse_args(typed)
    assert f"argument {typed[0]}: this option is now called --switchover-{present}\n" in capsys.readouterr().err


@pytest.mark.parametrize("option", LOCUST)
def test_locust_reads_it(option: DrillOption) -> None:
    """An option of the table that `read_options` forgets would be taken and have no effect."""
    given = locust_options.read_options(of_locust().parse_args(words_of(option, "--switchover-")))
    assert given != locust_options.Options()


@pytest.mark.parametrize("option", COMMAND_LINE)
def test_the_command_line_reads_it(option: DrillOption) -> None:
    typed = words_of(option, "--")
    assert getattr(of_command_line(typed), option.field) != getattr(of_command_line([]), option.field)


@pytest.mark.parametrize("option", LOCUST)
def test_the_drill_beside_locusts_load_is_told_of_it(option: DrillOption) -> None:
    told, before = (
        getattr(of_the_controller(statuses), option.field) for statuses in (words_of(option, "--switchover-"), [])
    )
    assert told != before


@pytest.mark.parametrize(
    "settings",
    [
        DrillSettings(),
        DrillSettings(
            target=Path("site.toml"),
            directory=Path("/runs/r"),
            name="failover",
            fault="lb-kill",
            arm=True,
            fault_at_s=30.0,
            limits=("outage=5s", "late=0"),
            timeout_s=(0.25, 1.0),
            seed=7,
            command=("locust", "-f", "my.py"),
        ),
    ],
)
def test_settings_arrive_in_another_process_as_they_were_sent(settings: DrillSettings) -> None:
    assert "\n" not in settings.to_json()
    assert DrillSettings.from_json(settings.to_json()) == settings


@pytest.mark.parametrize("line", ["", "null", "[]", "{" * 9000, '{"directory": 3}'])
def test_anything_else_is_one_line(line: str) -> None:
    with pytest.raises(UsageError, match="no usable spec for the drill"):
        DrillSettings.from_json(line)


def words_of(option: DrillOption, prefix: str) -> list[str]:
    value = {
        "NAME=LIMIT": "outage=5s",
        "URL": "http://influx:8086?db=load",
        "R": "20",
        "N": "20",
        "CONNECT,READ": "2s,3s",
        "KINDS": "pooled=2",
        "ADDRESS": "127.0.0.1:9464",
    }.get(option.metavar, option.choices[-1] if option.choices else "30s")
    return [f"{prefix}{option.name}", *([] if option.is_switch else [value])]


def of_command_line(statuses: list[str]) -> DrillSettings:
    arguments = command_line().parse_args(statuses)
    arguments.argv = statuses
    return read_settings(arguments)


def of_the_controller(statuses: list[str]) -> DrillSettings:
    given = locust_options.read_options(of_locust().parse_args(statuses))
    return locust_options.controller_settings(given, Path("run"), "name", None, [])


def test_jmeter_is_held_to_the_same_table() -> None:
    """`python -m support.option_vectors` writes the file anew; OptionsContractTest.java reads it."""
    assert json.loads((FOLDER / FILE).read_text(encoding="utf-8")) == option_vectors()
