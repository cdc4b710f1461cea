"""Never the last one: what is to take over must be proven healthy before a kill."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.contract import FOLDER
from support.touching import prepared, recipe
from switchover.faults.preflight.survivor import find_another_server, require_survivor
from switchover.model.errors import FaultError
from switchover.target.model import Endpoint, Node, Target
from switchover.target.telemetry_sources import Command
from switchover.telemetry.balancers import BalancerState
from switchover.telemetry.haproxy import is_server_up

STATES = {"lb2": {"VI_1": "BACKUP"}}
UP = "www,web1,UP,2\nwww,web2,UP,2\n"
ONE_UP = "www,web1,UP,2\nwww,web2,DOWN,2\n"
NONE_UP = "www,web1,DOWN,2\nwww,web2,DOWN,2\n"
BESIDE = json.loads((FOLDER / "server_status.json").read_text(encoding="utf-8"))["beside_a_victim"]


def haproxy(place: Path, name: str, rows: str) -> Node:
    """A balancer whose HAProxy says this of its servers; nothing where there are no rows."""
    answer = place / f"{name}.csv"
    answer.write_text(f"# pxname,svname,status,type\n{rows}\n")
    command = Command(("cat", str(answer))) if rows else Command(("false",))
    return Node(name, "balancer", haproxy=command)


def ask(
    place: Path,
    *nodes: Node,
    ready: tuple[str, ...] | None = None,
    states: Mapping[str, Mapping[str, str]] = STATES,
    allow_no_backup: bool = False,
    kind: str = "master",
) -> str:
    what = replace(prepared(replace(recipe(place), ready=ready), kind=kind), allow_last_one=allow_no_backup)
    if kind == "backend":
        what.description.victim = "web1"
    return require_survivor(Target(Endpoint("http://198.18.0.50/"), nodes=nodes), what, states)


@pytest.fixture
def master(tmp_path: Path) -> Node:
    return haproxy(tmp_path, "lb1", UP)


def test_a_backup_with_its_servers_up_and_in_backup_is_fit(tmp_path: Path, master: Node) -> None:
    evidence = "lb2 can take over: HAProxy answers, 2 servers up, Keepalived is in BACKUP"
    assert ask(tmp_path, master, haproxy(tmp_path, "lb2", UP)) == evidence


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ("", "exit status 1"),
        (NONE_UP, "no server that is up"),
        (ONE_UP, "does not report www/web2 as up, but the master does"),
    ],
)
def test_a_backup_that_could_not_serve_is_refused_whatever_ready_says(
    tmp_path: Path, master: Node, rows: str, reason: str
) -> None:
    with pytest.raises(FaultError, match=f"no backup is proven healthy .*{reason}"):
        ask(tmp_path, master, haproxy(tmp_path, "lb2", rows), ready=("true",))


@pytest.mark.parametrize("state", ["FAULT", "MASTER", "STOP"])
def test_a_backup_whose_keepalived_is_in_another_state_is_refused(tmp_path: Path, master: Node, state: str) -> None:
    with pytest.raises(FaultError, match=f"Keepalived is in {state}"):
        ask(tmp_path, master, haproxy(tmp_path, "lb2", UP), states={"lb2": {"VI_1": state}}, ready=("true",))


NOT_TOLD = "Keepalived has reported no state"
COPY = """
vrrp_instance VI_2 {
    interface eth0
    virtual_router_id 51
    virtual_ipaddress { 198.18.0.51 }
}
vrrp_instance VI_1 {
    interface eth0
    virtual_router_id 50
    virtual_ipaddress { 198.18.0.50 }
}
"""


@pytest.mark.parametrize(
    ("has_copy", "states", "said"),
    [
        (False, {"VI_2": "BACKUP", "VI_3": "BACKUP"}, "Keepalived is in BACKUP"),
        (False, {"VI_2": "BACKUP", "VI_3": "MASTER"}, NOT_TOLD),
        (False, {"VI_2": "MASTER", "VI_3": "MASTER"}, NOT_TOLD),
        (False, {"VI_2": "FAULT"}, "Keepalived is in FAULT"),
        (True, {"VI_1": "BACKUP", "VI_2": "MASTER"}, "Keepalived is in BACKUP"),
        (True, {"VI_1": "FAULT", "VI_2": "BACKUP"}, "Keepalived is in FAULT"),
        (True, {"VI_2": "BACKUP", "VI_3": "BACKUP"}, NOT_TOLD),
        (True, {"VI_2": "BACKUP"}, NOT_TOLD),
        (True, {"VI_2": "MASTER"}, NOT_TOLD),
    ],
)
def test_of_several_instances_the_targets_counts_and_where_none_is_named_all_have_to_be_in_backup(
    tmp_path: Path, master: Node, has_copy: bool, states: dict[str, str], said: str
) -> None:
    backup = haproxy(tmp_path, "lb2", UP)
    if has_copy:
        copy = tmp_path / "keepalived.conf"
        copy.write_text(COPY)
        backup = replace(backup, keepalived=copy)
    if said.endswith("BACKUP"):
        assert said in ask(tmp_path, master, backup, states={"lb2": states})
        return
    with pytest.raises(FaultError, match=said):
        ask(tmp_path, master, backup, states={"lb2": states})
    if said is NOT_TOLD:
        assert "lb2 can take over" in ask(tmp_path, master, backup, states={"lb2": states}, ready=("true",))


def test_without_a_state_that_keepalived_has_told_a_ready_command_is_needed(tmp_path: Path, master: Node) -> None:
    backup = haproxy(tmp_path, "lb2", UP)
    with pytest.raises(FaultError, match=r"has reported no state; add ready = .* to \[fault.touch\]"):
        ask(tmp_path, master, backup, states={"lb2": {}})
    assert "`ready`" in ask(tmp_path, master, backup, states={}, ready=("test", "{backup}", "=", "lb2"))
    with pytest.raises(FaultError, match=r"\[fault.touch\] ready"):
        ask(tmp_path, master, backup, states={}, ready=("false",))


def test_a_backup_without_telemetry_needs_a_ready_command(tmp_path: Path, master: Node) -> None:
    with pytest.raises(FaultError, match="the balancer has no telemetry; add ready = "):
        ask(tmp_path, master, Node("lb2", "balancer"))
    evidence = "lb2 can take over: Keepalived is in BACKUP, the command `ready` succeeds"
    assert ask(tmp_path, master, Node("lb2", "balancer"), ready=("true",)) == evidence


def test_without_a_known_master_two_balancers_have_to_be_fit(tmp_path: Path, master: Node) -> None:
    what = prepared(recipe(tmp_path), kind="master")
    what.description.master = None
    states = {name: {"VI_1": "BACKUP"} for name in ("lb1", "lb2")}
    both, one = (
        Target(Endpoint("http://198.18.0.50/"), nodes=(master, haproxy(tmp_path, name, rows)))
        for name, rows in (("lb2", UP), ("lb3", NONE_UP))
    )
    assert "`ready` succeeds; lb2 can take over" in require_survivor(both, what, states)
    with pytest.raises(FaultError, match=r"is proven healthy \(lb3: HAProxy has no server that is up\)"):
        require_survivor(one, what, states)


def test_a_ready_command_has_the_variables_of_the_recipe(
    tmp_path: Path, master: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", "k")
    ready = ("sh", "-c", 'test "$KUBECONFIG" = k')
    what = prepared(replace(recipe(tmp_path), ready=ready, variables=("KUBECONFIG",)), kind="master")
    pair = Target(Endpoint("http://198.18.0.50/"), nodes=(master, haproxy(tmp_path, "lb2", UP)))
    assert "`ready` succeeds" in require_survivor(pair, what, STATES)
    what.description.kind = "backend"
    assert "`ready` succeeds" in require_survivor(replace(pair, nodes=(Node("lb1", "balancer"),)), what, {})


def test_of_several_backups_one_suffices(tmp_path: Path, master: Node) -> None:
    dead, well = haproxy(tmp_path, "lb3", ""), haproxy(tmp_path, "lb2", UP)
    assert "lb2 can take over" in ask(tmp_path, master, dead, well)


def test_the_only_balancer_is_hit_only_on_purpose(tmp_path: Path, master: Node) -> None:
    with pytest.raises(FaultError, match="no other balancer, so nothing would take over; add --allow-no-backup"):
        ask(tmp_path, master)
    assert ask(tmp_path, master, allow_no_backup=True)


def test_a_backend_is_hit_only_where_another_one_is_up(tmp_path: Path, master: Node) -> None:
    assert "www/web2 is up at lb1" in ask(tmp_path, master, kind="backend")
    assert "www/web2 is up at lb1" in ask(tmp_path, haproxy(tmp_path, "lb2", UP), master, kind="backend")
    what = prepared(recipe(tmp_path))
    what.description.victim, what.description.master = "web1", None
    silent = Node("lb2", "balancer"), haproxy(tmp_path, "lb3", ""), haproxy(tmp_path, "lb4", "www,FRONTEND,OPEN,0\n")
    pair = Target(Endpoint("http://198.18.0.50/"), nodes=(*silent, master))
    assert require_survivor(pair, what, {}) == "www/web2 is up at lb1"
    unseen = Node("lb1", "balancer")
    evidence = ask(tmp_path, unseen, kind="backend", ready=("test", "lb1", "=", "{master}"))
    assert evidence == "the command `ready` succeeds"
    for ready, why in ((("false",), r"\[fault.touch\] ready: `false`"), (None, "no balancer reports its servers")):
        with pytest.raises(FaultError, match=rf"no other backend is proven healthy \({why}"):
            ask(tmp_path, unseen, kind="backend", ready=ready)
    alone = haproxy(tmp_path, "lb1", "www,web1,UP,2\nwww,web2,MAINT,2\n")
    with pytest.raises(FaultError, match="lb1 has no other server that is up"):
        ask(tmp_path, alone, kind="backend", ready=("true",))


@pytest.mark.parametrize("case", BESIDE, ids=lambda case: case["name"])
def test_a_server_stands_in_for_the_victim_where_java_says_so(case: dict[str, Any]) -> None:
    up = frozenset(name for name, status in case["servers"].items() if is_server_up(status))
    state = BalancerState("", servers=case["servers"], servers_up=up, weights=case["weights"])
    assert find_another_server(state, case["victim"]) == (case["found"], case["lacks"] or "")


@pytest.mark.parametrize(
    ("at_master", "at_backup", "shut"),
    [
        ("www,FRONTEND,OPEN,0\nold,FRONTEND,STOP,0\n", "www,FRONTEND,OPEN,0\nold,FRONTEND,STOP,0\n", ""),
        ("www,FRONTEND,OPEN,0\n", "www,FRONTEND,PAUSED,0\napi,FRONTEND,OPEN,0\n", "www"),
        ("", "www,FRONTEND,STOP,0\napi,FRONTEND,STOP,0\n", "api, www"),
        ("www,FRONTEND,OPEN,0\n", "www,FRONTEND,STOP,0\napi,FRONTEND,STOP,0\n", "www"),
        ("", "www,FRONTEND,STOP,0\napi,FRONTEND,OPEN,0\n", ""),
    ],
)
def test_a_backup_whose_frontend_is_disabled_is_refused(
    tmp_path: Path, at_master: str, at_backup: str, shut: str
) -> None:
    nodes = haproxy(tmp_path, "lb1", at_master + UP if at_master else ""), haproxy(tmp_path, "lb2", at_backup + UP)
    if not shut:
        assert "lb2 can take over" in ask(tmp_path, *nodes)
        return
    which = "which are" if "," in shut else "which is"
    with pytest.raises(FaultError, match=f"HAProxy accepts no connections at {shut}, {which} disabled"):
        ask(tmp_path, *nodes, ready=("true",))
