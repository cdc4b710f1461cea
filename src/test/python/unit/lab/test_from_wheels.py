"""Caddy, Traefik and Envoy on a balancer node: what their files say, and what is said where one is missing."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from switchover.lab.addresses import balancers
from switchover.lab.from_wheels import balancer_files, balancer_service
from switchover.lab.programs import find_programs
from switchover.lab.spec import FROM_WHEELS, LabSpec
from switchover.model.errors import LabError
from switchover.target.lab_directory import CONFIG_SUFFIXES, LabDirectory

LB1, _ = balancers()
DIRECTORY = LabDirectory(Path("/run/lab"))


def files(spec: LabSpec) -> dict[str, str]:
    return balancer_files(replace(spec, backends=2), LB1, DIRECTORY)


def command(spec: LabSpec) -> str:
    programs = {name: f"/opt/{name}" for name in FROM_WHEELS}
    return " ".join(balancer_service(spec, programs, DIRECTORY, LB1).argv)


@pytest.mark.parametrize("name", FROM_WHEELS)
def test_each_says_on_its_answers_who_it_is_and_by_which_configuration(name: str) -> None:
    text = "\n".join(files(LabSpec(balancer=name, connections=True)).values())
    assert "X-Balancer" in text and "X-Worker" in text and "WORKER" in text
    assert all(address in text for address in ("198.18.0.50", "198.18.0.21:80", "198.18.0.22:80")) or name == "envoy"
    assert "WORKER=$$ exec" in command(LabSpec(balancer=name))


@pytest.mark.parametrize("name", FROM_WHEELS)
def test_their_files_are_kept_with_a_run(name: str) -> None:
    assert all(Path(file).suffix in CONFIG_SUFFIXES for file in files(LabSpec(balancer=name)))


def test_backends_name_themselves_where_the_balancer_cannot() -> None:
    assert {name: LabSpec(balancer=name).names_backends_itself for name in FROM_WHEELS} == {
        "caddy": True, "traefik": True, "envoy": False,
    }  # fmt: skip


def test_how_long_the_old_may_stay_reaches_them() -> None:
    caddy, envoy = (LabSpec(balancer=name, hard_stop_after_s=2.5) for name in ("caddy", "envoy"))
    assert "grace_period 2.5s" in files(caddy)["caddy.conf"]
    assert "--drain-time-s 3" in command(envoy), "whole seconds, and never less"
    assert "--drain-time-s 600" in command(LabSpec(balancer="envoy"))


@pytest.mark.parametrize("name", FROM_WHEELS)
def test_a_missing_program_is_one_line_that_names_the_extra(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(LabError) as caught:
        find_programs([name])
    assert str(caught.value) == f"the lab needs {name}, not found: pip install 'switchover[{name}]'"


def test_a_program_of_an_extra_stands_beside_this_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "traefik"
    program.touch(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert find_programs(["traefik"]) == {"traefik": str(program)}
