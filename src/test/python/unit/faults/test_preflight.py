"""What must not contradict each other before a fault may fire. Java reads the same vectors."""

import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.contract import FOLDER
from switchover.drill.options import DrillSettings
from switchover.faults.preflight import nodes as preflight
from switchover.faults.preflight.nodes import (
    NodeAnswers,
    check_restart,
    find_clones,
    find_other_address,
    find_other_name,
    find_unidentified,
)
from switchover.model.errors import FaultError
from switchover.predict.keepalived import read_conf
from switchover.target.model import Endpoint, FaultRecipe, Node, Target
from switchover.target.telemetry_sources import Command

VECTORS = json.loads((FOLDER / "preflight.json").read_text(encoding="utf-8"))
STATS = "Name: HAProxy\nPid: {pid}\nStart_time_sec: 1700000000\nnode: {node}\n\n# pxname,svname,\n\n"


def vectors(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("vector", VECTORS[name], ids=lambda vector: str(vector.get("name", "")))


def facts(values: Mapping[str, Any]) -> NodeAnswers:
    given: Any = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
    return NodeAnswers(**given)


@vectors("other_address")
def test_the_url_leads_to_the_virtual_address(vector: dict[str, Any]) -> None:
    nodes = [facts(node) for node in vector["nodes"]]
    assert find_other_address(vector["url"], nodes, "--allow") == vector["problem"]


@vectors("other_name")
def test_no_node_says_that_it_is_another(vector: dict[str, Any]) -> None:
    assert find_other_name([facts(node) for node in vector["nodes"]]) == vector["problem"]


@vectors("clones")
def test_two_nodes_with_one_machine_id_are_refused(vector: dict[str, Any]) -> None:
    assert find_clones([facts(node) for node in vector["nodes"]]) == vector["problem"]


@vectors("unidentified")
def test_each_node_is_identified(vector: dict[str, Any]) -> None:
    assert find_unidentified([facts(node) for node in vector["nodes"]], "--allow") == vector["problem"]


@vectors("uname")
def test_the_name_of_a_host_is_asked_as_its_clock_is(vector: dict[str, Any]) -> None:
    found = preflight.ask_as_clock(Command(tuple(vector["clock"])), ("uname", "-n"))
    assert (None if found is None else list(found.arguments)) == vector["command"]


@vectors("ssh_way")
def test_only_ssh_is_asked_where_a_kill_leads(vector: dict[str, Any]) -> None:
    assert list(preflight.ssh_way(vector["kill"], vector["node"])) == vector["way"]


@vectors("copies")
def test_a_copy_has_virtual_addresses_and_a_name(vector: dict[str, Any], tmp_path: Path) -> None:
    conf = read_conf(tmp_path / "keepalived.conf", vector["text"])
    found = [address for one in conf.instances for address in (*one.addresses, *one.silent_addresses)]
    assert (found, conf.router_id) == (vector["addresses"], vector["router_id"])


def says(text: str) -> Command:
    return Command(("echo", text))


def pair(*nodes: Node, url: str = "http://198.18.0.50/") -> Target:
    return Target(Endpoint(url), nodes=nodes)


def refusal(target: Target, kill: Sequence[str] = ("true",), **settings: Any) -> str:
    try:
        preflight.require_sound_target(target, FaultRecipe("mine", kill=tuple(kill)), DrillSettings(**settings))
    except FaultError as error:
        return str(error)
    return ""


def test_nodes_that_are_swapped_as_a_whole_are_told_by_their_haproxys(tmp_path: Path) -> None:
    nodes = []
    for number, (name, said) in enumerate((("lb1", "lb2"), ("lb2", "lb1"))):
        (tmp_path / name).write_text(STATS.format(pid=number, node=said), encoding="utf-8")
        nodes.append(Node(name, "balancer", haproxy=Command(("cat", str(tmp_path / name)))))
    assert refusal(pair(*nodes)).startswith("mine does not fire: lb1 reports the name lb2 (`node` of its HAProxy)")
    assert not refusal(pair(*(Node(f"n{node.name}", "balancer", haproxy=node.haproxy) for node in nodes)))


def test_nodes_that_are_swapped_are_told_by_their_configuration_and_their_addresses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text('#!/bin/sh\necho "2: eth0    inet 127.0.0.$1/8 scope host eth0"\n', encoding="utf-8")
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    def node(name: str, number: str, router_id: str, host: str | None = None) -> Node:
        conf = tmp_path / f"{name}.conf"
        conf.write_text(f"global_defs {{\n router_id {router_id}\n}}\n", encoding="utf-8")
        monitor = Command(("ssh", number, "ip", "monitor", "address"))
        return Node(name, "balancer", host=host, vip_owner=(monitor,), keepalived=conf, machine_id=says(name))

    named = refusal(pair(node("lb1", "2", "lb2"), node("lb2", "3", "lb1")), allow_other_address=True)
    assert "lb1 reports the name lb2 (router_id of its keepalived.conf)" in named
    nodes = node("lb1", "3", "x", "127.0.0.2"), node("lb2", "2", "y", "127.0.0.3")
    swapped = refusal(pair(*nodes), allow_other_address=True)
    assert "lb1 has the host address of lb2: are lb1 and lb2 swapped?" in swapped
    nodes = node("lb1", "2", "x", "127.0.0.2"), node("lb2", "3", "y", "127.0.0.3")
    assert not refusal(pair(*nodes), allow_other_address=True)


def test_a_kill_that_reaches_another_host_than_the_clock_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text(
        "#!/bin/sh\ncase $1 in right) echo vm2;; banner) echo hello vm2;; *) echo vm1;; esac\n", encoding="utf-8"
    )
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    kill = ("ssh", "{master}", "sudo", "stop")

    def node(name: str, way: str) -> Node:
        return Node(name, "balancer", machine_id=says(name), clock=Command(("ssh", way, "date", "+%s.%N")))

    swapped = refusal(pair(node("left", "right"), node("right", "left")), kill)
    assert "the kill of [fault.mine] reaches vm1 for left, but the clock command of left reaches vm2" in swapped
    assert not refusal(pair(node("left", "left"), node("right", "right")), kill)
    assert not refusal(pair(node("left", "banner"), node("right", "right")), kill), "two words are no name"


CHECK = """vrrp_script c {{
 script /bin/true
 interval {}
 fall {}
}}
vrrp_instance V {{
 track_script {{
  c
 }}
}}
"""
QUICK = "Restart=always\\nRestartUSec=100ms"
KILL = "systemctl kill -s KILL haproxy"


@pytest.mark.parametrize(
    ("kill", "unit", "check", "warned"),
    [
        (f"sudo -n {KILL}", QUICK, (1, 2), "0.1 s, but the check needs 2 s"),
        (
            "sh -c 'sudo pkill -9 haproxy'",
            "Restart=on-failure\\nRestartUSec=1s",
            (2, 3),
            "1 s, but the check needs 6 s",
        ),
        (f"sh -c 'systemctl mask --runtime haproxy && {KILL}'", QUICK, (1, 2), None),
        ("systemctl stop haproxy", QUICK, (1, 2), None),
        ("systemctl kill -s STOP haproxy", QUICK, (1, 2), None),
        (KILL, "Restart=no\\nRestartUSec=100ms", (1, 2), None),
        (KILL, "Restart=always\\nRestartUSec=5s", (1, 2), None),
        (KILL, QUICK, (1, 1), None),
        (KILL, "", (1, 2), None),
    ],
)
def test_a_unit_that_systemd_restarts_before_the_check_sees_it_is_told(
    kill: str, unit: str, check: tuple[int, int], warned: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ssh, conf = tmp_path / "ssh", tmp_path / "keepalived.conf"
    asked = "lb1 systemctl show -p Restart,RestartUSec haproxy"
    ssh.write_text(f"#!/bin/sh\n[ \"$*\" = '{asked}' ] && printf '{unit}'\n", encoding="utf-8")
    ssh.chmod(0o755)
    conf.write_text(CHECK.format(*check), encoding="utf-8")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    node = Node("lb1", "balancer", keepalived=conf, clock=Command(("ssh", "lb1", "date", "+%s.%N")))
    crash = FaultRecipe("mine", kill=("ssh", "lb1", kill))
    expected = f"systemd restarts haproxy after {warned} to fail: there will be no failover"
    assert check_restart(crash, node, "198.18.0.50") == (warned and expected)
    assert check_restart(crash, None, "198.18.0.50") is None
    stays_down = replace(crash, heal=("ssh", "lb1", "systemctl start haproxy"))
    refused = pytest.raises(FaultError, match=f"mine does not fire: {expected}") if warned else nullcontext()
    with refused:
        assert check_restart(stays_down, node, "198.18.0.50") is None


def test_both_refusals_that_a_user_may_mean_have_their_option(tmp_path: Path) -> None:
    conf = tmp_path / "keepalived.conf"
    conf.write_text("vrrp_instance V {\n virtual_ipaddress {\n  198.18.0.50\n }\n}\n", encoding="utf-8")
    wrong = pair(Node("lb1", "balancer", keepalived=conf, machine_id=says("a")), url="http://198.18.0.12/")
    assert "has 198.18.0.50; set url in [target] to the virtual address, or add --allow-other-address" in refusal(
        wrong
    )
    assert not refusal(wrong, allow_other_address=True)
    nobody = pair(Node("lb1.invalid", "balancer"))
    assert "nothing identifies lb1.invalid" in refusal(nobody)
    assert not refusal(nobody, allow_unidentified=True)
    assert not refusal(Target(Endpoint("http://198.18.0.12/"), nodes=wrong.nodes, lab=tmp_path))
