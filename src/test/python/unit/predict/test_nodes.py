"""The kind of a configuration, the instance that a target means, a copy without its includes, and systemd."""

from pathlib import Path

import pytest

from switchover.faults.catalogue import fault_named
from switchover.faults.recorded_prediction import predict_both
from switchover.model.errors import TargetError
from switchover.predict.config_file import kind_of
from switchover.predict.nodes import NodeKeepalived, read_node
from switchover.predict.supervisor import restart_delay
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


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("! a pair\nglobal_defs {\n}\n", "keepalived"),
        ("vrrp_instance VI_1 {\n", "keepalived"),
        ("include conf.d/*.conf\n", "keepalived"),
        ("@lb1 vrrp_instance VI_1 {\n", "keepalived"),
        ("$A=1\n", "keepalived"),
        ("global\n    daemon\n", "haproxy"),
        ("# x\nlisten web\n  bind :80\n", "haproxy"),
        ("defaults\n  mode http\nfrontend a\n", "haproxy"),
        ("frontend a  # vrrp_instance {\n", "haproxy"),
        ("user www-data;\nevents { }\n", "nginx"),
        ("http\n{\n}\n", "nginx"),
        ("include /etc/nginx/modules-enabled/*.conf;\n", "nginx"),
        ("server {\n  listen 80;\n}\n", "nginx"),
        ("", None),
        ("[Service]\nExecStart=/usr/sbin/haproxy\n", None),
        ("<VirtualHost *:80>\n", None),
    ],
)
def test_a_file_tells_whose_it_is(text: str, kind: str | None) -> None:
    assert kind_of(text) == kind


@pytest.mark.parametrize(
    ("restart", "pause", "delay_s"),
    [
        ("always", "", 0.1),
        ("on-failure", "5s", 5.0),
        ("on-abort", "1min 30s", 90.0),
        ("always", "250ms", 0.25),
        ("on-success", "5s", None),
        ("no", "5s", None),
    ],
)
def test_when_systemd_starts_a_killed_program_again(restart: str, pause: str, delay_s: float | None) -> None:
    assert restart_delay({"Restart": restart, "RestartUSec": pause}, "lb1") == delay_s
    assert restart_delay({}, "lb1") is None


def test_a_pause_that_is_no_time_is_one_line() -> None:
    with pytest.raises(TargetError, match="lb1: RestartUSec=soon is not a time span"):
        restart_delay({"Restart": "always", "RestartUSec": "soon"}, "lb1")
