"""Every recipe of the catalogue against a real pair: its proofs tell what is from what is not."""

import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from switchover.faults.catalogue import CATALOGUE
from switchover.faults.guard import HEAL_S, Guard, confirm_down
from switchover.faults.healer import Healer, Undo
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec
from switchover.model.clock import Clock
from switchover.process.command import CommandResult, run_command
from switchover.target.model import FaultRecipe, Target, fill_names
from switchover.target.reader import load_target

CORE = ("node-down", "keepalived-hang")
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
        at_ns, problem = confirm_down(fill_names(recipe.verify_down, NAMES), threading.Event())
        assert at_ns is not None, problem
        assert whole is None or not asked(whole).ok, "restored while it is down"
    finally:
        asked(recipe.heal)
    assert whole is None or Healer(Undo(recipe.name, verify=fill_names(whole, NAMES))).run(HEAL_S).is_healed
    assert not asked(recipe.verify_down).ok, "no longer down"
    asked(recipe.heal)
    assert whole is None or asked(whole).ok, "healing twice does no harm"


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.core if name in CORE else ()) for name in CATALOGUE]
)
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
            assert firing.proved_us is None
            assert firing.error is not None and "not confirmed" in firing.error
            assert guard.heal().error is None


STUBS = {
    "ssh": 'while [ "${1#-}" != "$1" ]; do shift 2; done; shift; exec sh -c "$*"',
    "sudo": 'exec "$@"',
    "systemd-run": 'case "$*" in *on-active*) ;; *) while [ "${1#-}" != "$1" ]; do shift; done; exec "$@" ;; esac',
}
"""The node is a namespace of this machine, and the dead-man never goes off."""
ADDRESSED = """
mount -t tmpfs none /run
ip link add eth0 type veth peer name far && ip link set far up && ip link set eth0 up
ip address add 198.18.0.11/24 dev eth0 && ip address add fd00::11/64 dev eth0 nodad
ip route add 198.19.0.0/24 via 198.18.0.10 && ip route add fd01::/64 via fd00::99
ip route add 198.19.1.0/24 proto 18 dev eth0
seen() { ip route; ip -6 route show dev eth0; ip -6 -o address show dev eth0 scope global; }
sleep 2
seen >before
./node-link.sh arm lb1 && ./node-link.sh down lb1
seen >down
./node-link.sh up lb1 2>errors
sleep 2
seen >after
"""


def test_the_documented_node_down_restores_routes_and_addresses(tmp_path: Path) -> None:
    page = (Path(__file__).parents[4] / "docs" / "faults.md").read_text(encoding="utf-8")
    script = page.partition("```sh\n#!/bin/sh\n# node-link.sh")[2].partition("```")[0]
    for name, text in {**STUBS, "node-link.sh": f"# node-link.sh{script}"}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    unshare = ["unshare", "--net", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    subprocess.run([*unshare, "sh", "-c", ADDRESSED], cwd=tmp_path, env=environment, check=True, timeout=60)
    before, down, after = ((tmp_path / name).read_text() for name in ("before", "down", "after"))
    kept = "\n".join(line for line in before.splitlines() if not line.startswith("198.19.1.0/24"))
    assert "198.19.0.0/24" in before and "fd01::/64" in before and "198.19" not in down
    assert after.split() == kept.split(), "but for the route of Keepalived, which is the master's"
