"""Every recipe of the catalogue against a real pair: its proofs tell what is from what is not."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from switchover.faults.catalogue import CATALOGUE
from switchover.faults.guard import HEAL_S, Guard
from switchover.faults.healer import Healer, Undo
from switchover.faults.proof import confirm_down
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec
from switchover.model.clock import Clock
from switchover.process.command import CommandResult, run_command
from switchover.target.model import FaultRecipe, Target, fill_names
from switchover.target.reader import load_target

pytestmark = pytest.mark.integration

NAMES = {"master": "lb1", "backup": "lb2"}
"""What the proofs look at does not depend on who holds the address, so nothing waits for an election here."""


class Journal:
    """A journal that forgets."""

    def event(self, kind: str, text: str, *, time_ns: int, node: str = "", id: str = "") -> None:  # noqa: A002
        return


@pytest.fixture(scope="module")
def haproxy_pair() -> Iterator[Target]:
    with Lab(LabSpec()) as lab:
        yield load_target(lab.target_file)


@pytest.fixture(scope="module")
def nginx_pair() -> Iterator[Target]:
    with Lab(LabSpec(balancer="nginx", backends=1)) as lab:
        yield load_target(lab.target_file)


def asked(command: tuple[str, ...] | None) -> CommandResult:
    assert command is not None
    return run_command(fill_names(command, NAMES))


def strikes_and_heals(recipe: FaultRecipe) -> None:
    whole = recipe.verify_healed
    assert recipe.verify_down is not None
    assert (whole is None) == (recipe.name == "haproxy-reload"), "what heals itself has nothing to prove"
    assert whole is None or asked(whole).ok, "whole before"
    assert not asked(recipe.verify_down).ok, "and not down"
    try:
        assert asked(recipe.kill).ok
        confirmation = confirm_down(fill_names(recipe.verify_down, NAMES), threading.Event())
        assert confirmation.at_ns is not None, confirmation.problem
        assert whole is None or not asked(whole).ok, "not whole while it is down"
    finally:
        asked(recipe.heal)
    assert whole is None or Healer(Undo(recipe.name, verify=fill_names(whole, NAMES))).run(HEAL_S).is_healed
    assert not asked(recipe.verify_down).ok, "no longer down"
    asked(recipe.heal)
    assert whole is None or asked(whole).ok, "healing twice does no harm"


@pytest.mark.parametrize("name", CATALOGUE)
def test_of_a_haproxy_pair(haproxy_pair: Target, name: str) -> None:
    strikes_and_heals(haproxy_pair.faults[name])


@pytest.mark.parametrize("name", ["haproxy-kill", "haproxy-stop", "haproxy-hang", "keepalived-kill"])
def test_of_an_nginx_pair(nginx_pair: Target, name: str) -> None:
    strikes_and_heals(nginx_pair.faults[name])


def test_an_nginx_pair_offers_nothing_that_needs_haproxys_socket(nginx_pair: Target) -> None:
    assert not {"haproxy-reload", "haproxy-drain"} & set(nginx_pair.faults)


def test_a_supervised_balancer_that_is_back_at_once_is_not_confirmed(tmp_path: Path) -> None:
    with Lab(LabSpec(supervised=True, backends=1)) as lab:
        recipe = load_target(lab.target_file).faults["haproxy-kill"]
        guard = Guard(
            recipe, clock=Clock.of_process(), journal=Journal(), armed=True, names=NAMES, directory=tmp_path
        )
        with guard:
            guard.arm()
            firing = guard.fire()
            assert firing.confirmed_us is None
            assert firing.error is not None and "not confirmed" in firing.error
            assert guard.heal().error is None
