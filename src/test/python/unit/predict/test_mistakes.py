"""Each mistake in a pair that has it, and none in sound pairs; and what a run keeps of Keepalived's settings."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from switchover.faults.catalogue import CATALOGUE
from switchover.model.vrrp import CheckScript, KeepalivedSettings
from switchover.predict.keepalived import read_conf
from switchover.predict.mistakes import Mistake, find_mistakes, find_pair_mistakes, find_problem
from switchover.predict.nodes import Facts, NodeKeepalived, keepalived_facts, settings_facts
from switchover.target.model import Endpoint, Node, Target

CHECK = """
vrrp_script chk_haproxy {
    script "/usr/bin/killall -0 haproxy"
    interval 1
    fall 2
    weight -20
}
"""
PAIR = """
vrrp_instance VI_1 {
    state BACKUP
    interface eth0
    virtual_router_id 51
    priority PRIORITY
    advert_int 1
    authentication {
        auth_type PASS
        auth_pass hush
    }
    virtual_ipaddress {
        192.0.2.50/24
    }
    track_script {
        chk_haproxy
    }
}
"""


def nodes(place: Path, *texts: str) -> list[Path]:
    paths = [place / "lb1.conf", place / "lb2.conf"]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return paths


def mistakes(place: Path, *texts: str) -> list[Mistake]:
    confs = [read_conf(path) for path in nodes(place, *texts)]
    instances = sorted((c.instance() for c in confs), key=lambda found: -found.settings.effective_priority)
    alone = [mistake for conf in confs for mistake in find_mistakes(conf, conf.instance())]
    return [*alone, *find_pair_mistakes(*instances)]


def pair(text: str) -> tuple[str, str]:
    """Two files that differ in their priorities."""
    return text.replace("PRIORITY", "101"), text.replace("PRIORITY", "100")


def with_lines(text: str, *lines: str) -> str:
    """Lines more in the instance."""
    return text.replace("    state BACKUP\n", "    state BACKUP\n" + "".join(f"    {line}\n" for line in lines))


FIRST, SECOND = pair(CHECK + PAIR)
MISTAKES: dict[str, tuple[str, ...]] = {
    "weight-too-small": (FIRST.replace("weight -20", "weight -1"), SECOND),
    "sub-second-v2": tuple(text.replace("advert_int 1", "advert_int 0.5") for text in (FIRST, SECOND)),
    "router-ids-differ": (FIRST, SECOND.replace("router_id 51", "router_id 52")),
    "intervals-differ": (FIRST, SECOND.replace("advert_int 1", "advert_int 2")),
    "versions-differ": (FIRST, with_lines(SECOND, "version 3")),
    "families-differ": (FIRST, SECOND.replace("192.0.2.50/24", "2001:db8::50/64")),
    "authentication-differs": (FIRST, SECOND.replace("auth_pass hush", "auth_pass shush")),
    "addresses-differ": (FIRST, SECOND.replace("192.0.2.50", "192.0.2.51")),
    "equal-priorities": (FIRST, FIRST),
    "strict-unicast": tuple(
        with_lines(text, "strict_mode", "unicast_peer {", "192.0.2.9", "}") for text in (FIRST, SECOND)
    ),
    "one-sided-unicast": (with_lines(FIRST, "unicast_peer {", "192.0.2.2", "}"), SECOND),
    "no-check": (FIRST.replace("        chk_haproxy\n", ""), SECOND),
    "master-nopreempt": (with_lines(FIRST, "nopreempt").replace("state BACKUP", "state MASTER"), SECOND),
    "weight-nopreempt": (FIRST, with_lines(SECOND, "nopreempt")),
    "pidof": (FIRST.replace("/usr/bin/killall -0 haproxy", "/bin/pidof haproxy"), SECOND),
    "no-router-id": (FIRST.replace("    virtual_router_id 51\n", ""), SECOND),
    "no-address": (FIRST.replace("        192.0.2.50/24\n", ""), SECOND),
    "own-peer": (with_lines(FIRST, "unicast_src_ip 192.0.2.1", "unicast_peer {", "192.0.2.1", "}"), SECOND),
    "router-id-twice": (FIRST, SECOND + SECOND[len(CHECK) :].replace("VI_1", "VI_2")),
}


@pytest.mark.parametrize("code", sorted(set(MISTAKES) - {"router-id-twice"}))
def test_the_mistake_is_named(tmp_path: Path, code: str) -> None:
    found = {mistake.code: mistake for mistake in mistakes(tmp_path, *MISTAKES[code])}
    assert code in found
    assert ".conf:" in found[code].place
    assert "\n" not in found[code].text


VERSION_3 = "global_defs {\n    vrrp_version 3\n    vrrp_strict\n}\n"
OPEN = (CHECK + PAIR).replace("    authentication {\n        auth_type PASS\n        auth_pass hush\n    }\n", "")
"""Without a password, which version 3 does not know."""

ALL_WELL: dict[str, tuple[str, ...]] = {
    "weights and preemption": (FIRST, SECOND),
    "FAULT and nopreempt": tuple(
        with_lines(text.replace("weight -20", "weight 0"), "nopreempt") for text in (FIRST, SECOND)
    ),
    "a weight that is added while all is well": tuple(
        text.replace("weight -20", "weight 2") for text in (FIRST, SECOND)
    ),
    "version 3 below a second, strict": tuple(
        VERSION_3 + text.replace("advert_int 1", "advert_int 0.25") for text in pair(OPEN)
    ),
    "unicast": tuple(
        with_lines(text, f"unicast_src_ip 192.0.2.{own}", "unicast_peer {", f"192.0.2.{peer}", "}")
        for text, own, peer in ((FIRST, 1, 2), (SECOND, 2, 1))
    ),
    "IPv6, a process watched by the kernel": tuple(
        text.replace("192.0.2.50/24", "fe80::50/64\n        2001:db8::50/64")
        .replace("vrrp_script", "vrrp_track_process")
        .replace('script "/usr/bin/killall -0 haproxy"\n    interval 1\n    fall 2', "process haproxy")
        .replace("track_script", "track_process")
        for text in pair(OPEN)
    ),
    "a check that asks, every 200 ms": tuple(
        text.replace("/usr/bin/killall -0 haproxy", "curl -s -m 0.2 http://localhost/health").replace(
            "interval 1", "interval 0.2"
        )
        for text in (FIRST, SECOND)
    ),
    "virtual servers of the kernel": tuple(
        text.replace("        chk_haproxy\n", "") + "virtual_server 192.0.2.50 80 {\n    lb_algo rr\n}\n"
        for text in (FIRST, SECOND)
    ),
}


@pytest.mark.parametrize("name", ALL_WELL)
def test_a_sound_pair_has_no_mistake_and_is_predicted(tmp_path: Path, name: str) -> None:
    assert mistakes(tmp_path, *ALL_WELL[name]) == []
    first, second = (read_conf(path).instance() for path in nodes(tmp_path, *ALL_WELL[name]))
    assert find_problem(first, second) is None
    assert CATALOGUE["node-down"].predict(first.settings, second.settings).high_s is not None


@pytest.mark.parametrize(
    "code",
    [
        "router-ids-differ",
        "versions-differ",
        "families-differ",
        "authentication-differs",
        "one-sided-unicast",
        "strict-unicast",
        "no-router-id",
    ],
)
def test_no_window_holds_for_nodes_that_are_no_pair(tmp_path: Path, code: str) -> None:
    first, second = (read_conf(path).instance() for path in nodes(tmp_path, *MISTAKES[code]))
    assert find_problem(first, second) is not None


def test_passwords_are_compared_as_they_are_sent(tmp_path: Path) -> None:
    long = [text.replace("auth_pass hush", f"auth_pass longword{end}") for text, end in ((FIRST, "1"), (SECOND, "2"))]
    assert mistakes(tmp_path, *long) == []


def test_no_window_is_predicted_for_an_instance_of_a_sync_group(tmp_path: Path) -> None:
    group = "vrrp_sync_group G {\n    group {\n        VI_1\n    }\n}\n"
    first, second = (read_conf(path).instance() for path in nodes(tmp_path, FIRST + group, SECOND))
    for members in ((first, second), (second, first), (first,)):
        assert find_problem(*members) == "VI_1 is in the sync group G, whose instances fail over together"
    assert find_problem(second) is None


def test_a_router_id_that_a_file_has_twice_is_named(tmp_path: Path) -> None:
    conf = read_conf(nodes(tmp_path, *MISTAKES["router-id-twice"])[1])
    assert [mistake.code for mistake in find_mistakes(conf, conf.instance("VI_2"))] == ["router-id-twice"]


@pytest.fixture
def target(tmp_path: Path) -> Target:
    (tmp_path / "lb1.conf").write_text(FIRST.replace("192.0.2.50", "198.18.0.50"), encoding="utf-8")
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
