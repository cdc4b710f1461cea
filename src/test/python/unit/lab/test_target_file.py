from pathlib import Path

import pytest

from switchover.faults.catalogue import CATALOGUE
from switchover.lab.options import parse_keepalived
from switchover.lab.spec import LabSpec
from switchover.lab.target_file import write_target
from switchover.model.held_kind import HeldKind
from switchover.target.lab_directory import LabDirectory
from switchover.target.model import Node, Target
from switchover.target.reader import load_target
from switchover.target.telemetry_sources import Command, Fifo, HttpPage, LogFile, UnixSocket


def target_of(spec: LabSpec, folder: Path) -> Target:
    directory = LabDirectory(folder)
    write_target(spec, directory)
    return load_target(directory.target)


def node_of(target: Target, name: str) -> Node:
    return {node.name: node for node in target.nodes}[name]


def test_what_the_lab_writes_can_be_read(tmp_path: Path) -> None:
    target = target_of(LabSpec(), tmp_path)
    assert target.endpoint.url == "http://198.18.0.50/"
    assert target.endpoint.dedicated
    assert target.lab is None, "no lab runs there"
    assert [node.name for node in target.balancers] == ["lb1", "lb2"]
    assert [node.name for node in target.backends] == ["web1", "web2", "web3"]
    assert all(node.shared_clock and node.processes for node in target.nodes)


def test_ownership_is_observed_by_addresses_and_by_states(tmp_path: Path) -> None:
    lb1 = node_of(target_of(LabSpec(), tmp_path), "lb1")
    addresses, states = lb1.vip_owner
    assert isinstance(addresses, Command)
    assert addresses.arguments[-4:] == ("ip", "-ts", "monitor", "address")
    assert states == Fifo(f"{tmp_path}/lb1/notify.fifo")


def test_each_kind_of_balancer_has_its_own_source(tmp_path: Path) -> None:
    assert node_of(target_of(LabSpec(), tmp_path), "lb2").haproxy == UnixSocket(f"{tmp_path}/lb2/haproxy.sock")
    nginx = node_of(target_of(LabSpec(balancer="nginx"), tmp_path), "lb2")
    assert nginx.haproxy is None
    assert nginx.nginx == HttpPage("http://198.18.0.12:8080/status")
    for name, page in (("caddy", "8080/metrics"), ("traefik", "8080/metrics"), ("envoy", "8404/stats/prometheus")):
        node = node_of(target_of(LabSpec(balancer=name), tmp_path), "lb2")
        assert (node.haproxy, node.nginx, node.metrics) == (None, None, HttpPage(f"http://198.18.0.12:{page}"))


def test_a_lab_has_the_change_of_its_balancer_and_the_connections_that_it_can_proxy(tmp_path: Path) -> None:
    for name, change in (("caddy", "caddy-reload"), ("traefik", "traefik-swap"), ("envoy", "envoy-listener")):
        target = target_of(LabSpec(balancer=name, connections=True), tmp_path)
        assert change in target.changes and not {"haproxy-reload", "nginx-reload"} & set(target.changes)
        assert (HeldKind.TCP in set(target.connections)) == (name != "caddy")


def test_backends_are_known_by_address_and_by_log(tmp_path: Path) -> None:
    target = target_of(LabSpec(backends=1), tmp_path)
    assert target.identity.aliases == {"198.18.0.21:80": "web1"}
    assert node_of(target, "web1").access_log == LogFile(f"{tmp_path}/web1/access.log")


@pytest.mark.parametrize(
    "options", ["", "check=none,preempt=no", "version=3,advert_int=0.1,check=http,weight=0,fall=3"]
)
def test_the_keepalived_settings_come_back_as_they_were(tmp_path: Path, options: str) -> None:
    pair = parse_keepalived(options)
    target = target_of(LabSpec(keepalived=pair), tmp_path)
    assert node_of(target, "lb1").keepalived == pair.lb1
    assert node_of(target, "lb2").keepalived == pair.lb2


def test_every_fault_of_the_catalogue_has_its_commands(tmp_path: Path) -> None:
    assert set(target_of(LabSpec(), tmp_path).faults) == set(CATALOGUE)


def test_an_nginx_pair_has_no_faults_of_haproxys_runtime_socket(tmp_path: Path) -> None:
    faults = target_of(LabSpec(balancer="nginx"), tmp_path).faults
    assert "haproxy-drain" not in faults
    assert "keepalived-kill" in faults
