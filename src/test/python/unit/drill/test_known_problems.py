"""What can be known before a kill is said before it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.contract import named
from support.touching import recipe
from switchover.drill.prepare import find_known_problems, refuse_known_problems
from switchover.model.errors import UsageError
from switchover.target.model import Endpoint, Node, Target
from switchover.target.reader import load_target
from switchover.target.telemetry_sources import Fifo

SOURCE = (Fifo("/run/notify"),)
PAIR = (Node("lb1", "balancer", vip_owner=SOURCE), Node("lb2", "balancer"))


def target(**changes: object) -> Target:
    endpoint = Endpoint("http://198.18.0.50/", **changes)  # type: ignore[arg-type]
    return Target(endpoint, nodes=PAIR)


@pytest.mark.parametrize("case", named("known_problems.json", "cases"))
def test_what_is_known_is_said_as_agreed(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "target.toml"
    path.write_text(case["text"], encoding="utf-8")
    assert list(find_known_problems(load_target(path), case["limits"])) == case["problems"]


def test_a_limit_without_a_source_is_refused() -> None:
    with pytest.raises(UsageError, match="lb2 have no ownership source"):
        refuse_known_problems(target(), ["split-brain=0s"])


def test_unaccounted_requests_cannot_be_judged_on_a_shared_target() -> None:
    with pytest.raises(UsageError, match="dedicated = true"):
        refuse_known_problems(target(), ["unaccounted=0"])
    refuse_known_problems(target(dedicated=True), ["unaccounted=0", "outage=5s"])


@pytest.mark.parametrize("algorithm", ["roundrobin", "leastconn", "hdr(host)", "hash path", "random(2)"])
def test_an_algorithm_of_haproxys_is_known(algorithm: str) -> None:
    assert not list(find_known_problems(target(algorithm=algorithm), []))


def test_an_unknown_algorithm_is_refused() -> None:
    with pytest.raises(UsageError, match="'roundrobbin' is no algorithm"):
        refuse_known_problems(target(algorithm="roundrobbin"), [])


def test_a_misspelt_node_in_a_command_is_refused_and_other_braces_are_not(tmp_path: Path) -> None:
    misspelt = replace(recipe(tmp_path), heal=("ssh", "{mastr}", "awk {print}"))
    with pytest.raises(UsageError, match=r"\{mastr\}.*did you mean \{master\}"):
        refuse_known_problems(replace(target(), faults={"touch": misspelt}), [])
    other = replace(recipe(tmp_path), heal=("ssh", "{master}", "awk {print}"))
    assert not list(find_known_problems(replace(target(), faults={"touch": other}), []))
