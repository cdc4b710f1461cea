"""Before the kill: the problems that are known, and whether the master is still the one that was meant."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from support.contract import named
from switchover.drill.prepare import find_known_problems, find_victim, refuse_another_master, refuse_known_problems
from switchover.faults.catalogue import fault_named
from switchover.faults.mechanism import PreparedFault
from switchover.model.errors import FaultError, UsageError
from switchover.predict.prediction import Prediction
from switchover.rundir.run_directory import FaultRun
from switchover.target.model import Endpoint, FaultRecipe, Node, Target
from switchover.target.reader import load_target
from switchover.telemetry import master
from switchover.telemetry.master import Master


@pytest.mark.parametrize("case", named("known_problems.json", "cases"))
def test_what_is_known_is_said_as_agreed(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "target.toml"
    path.write_text(case["text"], encoding="utf-8")
    assert list(find_known_problems(load_target(path), case["limits"])) == case["problems"]


def test_a_known_problem_is_refused() -> None:
    target = Target(Endpoint("http://198.18.0.50/"))
    with pytest.raises(UsageError, match="dedicated = true"):
        refuse_known_problems(target, ["unaccounted=0"])
    refuse_known_problems(target, ["outage=5s"])


NOTHING = Prediction(0.0, 0.0, "nothing")


def prepared(*, master: str | None = "lb1", kind: str = "master", kill: str = "kill") -> PreparedFault:
    recipe = FaultRecipe("mine", kill=(kill,))
    return PreparedFault(recipe, FaultRun("mine", kind, master=master), NOTHING, NOTHING, True, 1.0)


def check(what: PreparedFault, owners: Mapping[str, bool | None], *, dedicated: bool = False) -> None:
    refuse_another_master(Target(Endpoint("http://198.18.0.50/", dedicated=dedicated)), what, owners)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Master]:
    """What a target answers that is asked; empty: it must not be."""
    answers: list[Master] = []
    monkeypatch.setattr(master, "find_master", lambda *_, **__: answers.pop())
    return answers


def test_another_master_is_refused(asked: list[Master]) -> None:
    with pytest.raises(FaultError, match=r"lb1 was the master at the preflight, but lb2 is the master now"):
        check(prepared(), {"lb1": False, "lb2": True})


def test_a_dedicated_target_is_sent_no_request_that_its_counters_would_see(asked: list[Master]) -> None:
    check(prepared(), {}, dedicated=True)


def test_a_backend_fault_does_not_care_who_is_master_unless_it_names_it(asked: list[Master]) -> None:
    elsewhere = {"lb1": False, "lb2": True}
    check(prepared(kind="backend"), elsewhere)
    check(prepared(master=None), elsewhere)
    with pytest.raises(FaultError, match="lb2 is the master now"):
        check(prepared(kind="backend", kill="kill-{master}"), elsewhere)


@pytest.mark.parametrize(
    ("kill", "victim"),
    [
        (("ssh", "app2", "systemctl kill nginx"), "app2"),
        (("ssh", "root@203.0.113.22", "kill"), "app2"),
        (("sh", "-c", "docker kill app1"), "app1"),
        (("ssh", "app22", "kill"), "web1"),
        (("./kill.sh", "app1", "app2"), "web1"),
        (("ssh", "lb1", "kill"), "web1"),
        (("curl", "http://203.0.113.22:8080/stop"), "app2"),
        (("docker", "-H", "tcp://app2:2375", "kill", "nginx"), "app2"),
        (("scp", "stop", "root@app2:/tmp"), "app2"),
        (("curl", "http://[fd00::2]:8080/stop"), "app3"),
        (("ssh", "fd00::2:10", "kill"), "web1"),
    ],
)
def test_a_backend_fault_of_a_real_target_hits_the_backend_that_its_kill_names(
    kill: tuple[str, ...], victim: str
) -> None:
    nodes = (
        Node("lb1", "balancer"),
        Node("app1", "backend"),
        Node("app2", "backend", host="203.0.113.22"),
        Node("app3", "backend", host="fd00::2"),
    )
    real = Target(Endpoint("http://198.18.0.50/"), nodes=nodes)
    recipe = FaultRecipe("backend-kill", kill=kill)
    assert find_victim(real, fault_named("backend-kill"), recipe) == victim
    of_lab = Target(Endpoint("http://198.18.0.50/"), nodes=nodes, lab=Path("/run/lab"))
    assert find_victim(of_lab, fault_named("backend-kill"), recipe) == "web1"
    assert find_victim(real, fault_named("haproxy-kill"), recipe) is None
