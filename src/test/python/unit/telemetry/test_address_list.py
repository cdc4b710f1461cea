"""What `ip address` prints, as it monitors and as it shows."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchover.model.errors import TelemetryError
from switchover.target.model import Endpoint, Node, Target
from switchover.target.telemetry_sources import Command
from switchover.telemetry.address_list import (
    ask_interfaces,
    local_to_utc_ns,
    parse_address_line,
    read_routes,
    show_command,
)

HOUR_NS = 3600 * 10**9
SHOWN = """\
1: lo    inet 127.0.0.1/8 scope host lo\\       valid_lft forever preferred_lft forever
2: eth0    inet 198.18.0.12/24 scope global eth0\\       valid_lft forever preferred_lft forever
2: eth0    inet 198.18.0.50/24 scope global secondary eth0\\       valid_lft forever preferred_lft forever
2: eth0    inet6 fe80::44fe:caff:fec7:b975/64 scope link \\       valid_lft forever preferred_lft forever
"""


def test_routes_are_asked_where_the_monitor_says_how(tmp_path: Path) -> None:
    ip = tmp_path / "ip"
    ip.write_text(
        "#!/bin/sh\necho 198.18.0.0/24 dev eth0 proto kernel scope link src 198.18.0.11\n"
        'echo 198.19.1.0/24 dev eth0 proto keepalived\necho "route $1"\n'
    )
    ip.chmod(0o755)
    monitor = Command((str(ip), "-ts", "monitor", "address"))
    nodes = (
        Node("lb1", "balancer", vip_owner=(monitor,)),
        Node("lb2", "balancer", vip_owner=(Command(("false", "ip", "monitor", "address")),)),
        Node("lb3", "balancer", vip_owner=(Command(("watch-vip",)),)),
        Node("lb4", "balancer"),
    )
    assert read_routes(Target(Endpoint("http://198.18.0.50/"), nodes=nodes)) == {"lb1": ["route -4", "route -6"]}


@given(st.text(max_size=200))
def test_no_garbage_raises(line: str) -> None:
    for text in (line, "[" + line, "2: eth0 inet " + line, "[2026-11-21T03:55:58.717544] Deleted 2: " + line):
        parse_address_line(text)


def monitor_of(shown: str, directory: Path) -> Command:
    """An `ip` that shows this text."""
    (directory / "shown").write_text(shown)
    (directory / "ip").write_text(f"#!/bin/sh\nexec cat {directory}/shown\n")
    (directory / "ip").chmod(0o755)
    return Command((str(directory / "ip"), "monitor", "address"))


def test_interfaces_that_have_the_address(tmp_path: Path) -> None:
    monitor = monitor_of(SHOWN, tmp_path)
    assert ask_interfaces(monitor, frozenset({"198.18.0.50"}), timeout_s=30.0) == frozenset({"eth0"})
    assert ask_interfaces(monitor, frozenset({"198.18.0.5"}), timeout_s=30.0) == frozenset()


def test_host_that_shows_no_address_at_all_was_not_asked(tmp_path: Path) -> None:
    with pytest.raises(TelemetryError, match="printed no addresses"):
        ask_interfaces(monitor_of("banner\n", tmp_path), frozenset({"198.18.0.50"}), timeout_s=30.0)


def test_command_to_show_gets_the_environment_of_the_one_to_monitor() -> None:
    monitor = Command(("kubectl", "exec", "lb1", "--", "ip", "monitor", "address"), ("KUBECONFIG",))
    show = show_command(monitor)
    assert show is not None and show.variables == ("KUBECONFIG",)


@given(
    st.integers(min_value=-48, max_value=56).map(lambda quarters: quarters * HOUR_NS // 4),
    st.integers(min_value=0, max_value=5 * 60 * 10**9),
)
def test_time_zone_follows_from_the_arrival(zone_ns: int, delay_ns: int) -> None:
    happened_ns = 1_795_233_000 * 10**9
    assert local_to_utc_ns(happened_ns + zone_ns, happened_ns + delay_ns) == happened_ns
