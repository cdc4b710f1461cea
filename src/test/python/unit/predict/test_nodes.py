"""Which instance of a node's configuration a target means, and what a copy without its includes leaves open."""

from pathlib import Path

import pytest

from switchover.faults.catalogue import fault_named
from switchover.faults.recorded_prediction import predict_both
from switchover.predict.nodes import NodeKeepalived, read_node
from switchover.target.model import Node

CHECK = 'vrrp_script check {\n script "pidof haproxy"\n weight 0\n}\n'
INSTANCE = """vrrp_instance {name} {{
 virtual_router_id {number}
 priority {priority}
 virtual_ipaddress {{
  {address}/24 dev eth0
 }}
 {further}
 track_script {{
  check
 }}
}}
"""


def node(folder: Path, name: str, first: int, second: int, head: str = CHECK) -> Node:
    """A node of a pair that shares its work: each is the master of one of two addresses."""
    one = INSTANCE.format(name="VI_1", number=51, priority=first, address="198.18.0.50", further="")
    silent = "virtual_ipaddress_excluded {\n  198.18.0.52\n }"
    two = INSTANCE.format(name="VI_2", number=52, priority=second, address="198.18.0.51", further=silent)
    path = folder / f"{name}.conf"
    path.write_text(head + one + two, encoding="utf-8")
    return Node(name, "balancer", keepalived=path)


@pytest.mark.parametrize(
    ("host", "priority"),
    [("198.18.0.50", 90), ("198.18.0.51", 101), ("198.18.0.52", 101), ("198.18.0.9", 90), ("", 90)],
)
def test_of_several_instances_the_one_with_the_address_of_the_target_counts(
    tmp_path: Path, host: str, priority: int
) -> None:
    settings = read_node(node(tmp_path, "lb2", 90, 101), host).settings
    assert settings is not None and settings.priority == priority


def predicted(folder: Path, fault: str, head: str) -> tuple[float | None, float | None]:
    pair = [read_node(node(folder, *which, head), "198.18.0.50") for which in (("lb1", 101, 90), ("lb2", 90, 101))]
    outage, _ = predict_both(fault_named(fault), *pair)
    return outage.low_s, outage.high_s


def test_nothing_is_predicted_for_ever_where_an_include_that_is_missing_may_define_the_check(tmp_path: Path) -> None:
    missing = "include conf.d/*.conf\n"
    skew = (256 - 90) / 256
    assert predicted(tmp_path, "haproxy-kill", CHECK) == (skew, 1 + skew)
    assert predicted(tmp_path, "haproxy-kill", CHECK + missing) == (skew, 1 + skew)
    assert predicted(tmp_path, "haproxy-kill", missing) == (None, None)
    assert predicted(tmp_path, "node-down", missing) == (2 + skew, 3 + skew)


def test_without_an_include_that_is_missing_a_pair_without_a_check_waits_for_ever(tmp_path: Path) -> None:
    low, high = predicted(tmp_path, "haproxy-kill", "")
    assert low is not None and high is None


def test_a_node_without_a_configuration_has_no_settings() -> None:
    assert read_node(None, "") == read_node(Node("lb1", "balancer"), "") == NodeKeepalived()
