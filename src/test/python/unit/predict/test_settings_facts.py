"""What a run keeps of Keepalived's settings."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from switchover.model.vrrp import CheckScript, KeepalivedSettings
from switchover.predict.nodes import Facts, NodeKeepalived, keepalived_facts, settings_facts
from switchover.target.model import Endpoint, Node, Target

CONF = """
vrrp_script check {
    script "/usr/bin/pgrep -x haproxy"
    interval 1
    weight -20
}
vrrp_instance VI_1 {
    state BACKUP
    interface eth0
    virtual_router_id 51
    priority 101
    advert_int 1
    authentication {
        auth_type PASS
        auth_pass secret01
    }
    virtual_ipaddress {
        198.18.0.50/24
    }
    track_script {
        check
    }
}
"""


@pytest.fixture
def target(tmp_path: Path) -> Target:
    (tmp_path / "lb1.conf").write_text(CONF, encoding="utf-8")
    lb1 = Node("lb1", "balancer", keepalived=tmp_path / "lb1.conf")
    lb2 = Node("lb2", "balancer", keepalived=KeepalivedSettings(priority=100))
    return Target(Endpoint("http://198.18.0.50/"), nodes=(lb1, lb2, Node("lb3", "balancer")))


def named(before: Mapping[str, Facts], now: Mapping[str, Facts]) -> list[str]:
    """The settings of each node that are other ones."""
    return [
        f"{node} {name} was {then.get(name)}, is {now[node].get(name)}"
        for node, then in before.items()
        for name in {**then, **now[node]}
        if then.get(name) != now[node].get(name)
    ]


def edit(target: Target, before: str, after: str) -> None:
    copy = target.nodes[0].keepalived
    assert isinstance(copy, Path) and before in copy.read_text(encoding="utf-8")
    copy.write_text(copy.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("priority 101", "priority 90", ["lb1 priority was 101, is 90"]),
        ("interval 1", "interval 3", ["lb1 check 1 interval was 1.0, is 3.0", "lb1 check 1 timeout was 1.0, is 3.0"]),
        ("weight -20", "weight 0", ["lb1 check 1 weight was -20, is 0"]),
        ("state BACKUP", "state BACKUP\n nopreempt", ["lb1 preempt was True, is False"]),
        ("198.18.0.50/24", "198.18.0.51/24", ["lb1 virtual_ipaddress was 198.18.0.50, is 198.18.0.51"]),
        ("virtual_router_id 51", "virtual_router_id 52", ["lb1 virtual_router_id was 51, is 52"]),
        ("vrrp_instance VI_1 {", "! a remark\nvrrp_instance VI_1 {  # and blanks", []),
    ],
)
def test_a_setting_that_means_something_else_is_named(
    target: Target, before: str, after: str, said: list[str]
) -> None:
    kept = keepalived_facts(target)
    edit(target, before, after)
    assert named(kept, keepalived_facts(target)) == said


def test_a_table_of_settings_is_kept_and_a_node_without_any_is_not(target: Target) -> None:
    kept = keepalived_facts(target)
    assert list(kept) == ["lb1", "lb2"]
    assert kept["lb2"]["priority"] == 100 and "virtual_router_id" not in kept["lb2"]


def test_a_copy_that_cannot_be_read_is_left_out(target: Target) -> None:
    copy = target.nodes[0].keepalived
    assert isinstance(copy, Path)
    copy.unlink()
    assert list(keepalived_facts(target)) == ["lb2"]


def test_further_checks_are_kept_by_their_names() -> None:
    facts = settings_facts(
        NodeKeepalived(KeepalivedSettings(check=CheckScript(by="http"), further_checks=(CheckScript(weight=-5),)))
    )
    assert (facts["check 2 weight"], facts["check 1 interval"], facts["check 1 by"]) == (-5, 1, "http")
    assert "check 2 by" not in facts
