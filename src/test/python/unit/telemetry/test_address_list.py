"""What `ip address` prints, as it monitors and as it shows."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchover.model.errors import TelemetryError
from switchover.target.model import Endpoint, Node, Target
from switchover.target.telemetry_sources import Command
from switchover.telemetry.address_list import (
    AddressLine,
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


def test_address_that_came() -> None:
    line = parse_address_line(
        "[1970-01-01T00:01:58.717544] 2: eth0    inet 198.18.0.50/24 scope global secondary eth0"
    )
    assert line == AddressLine("eth0", "198.18.0.50", False, 118_717_544_000)


def test_address_that_went() -> None:
    line = parse_address_line("[1970-01-01T00:00:00.000001] Deleted 2: eth0    inet 198.18.0.50/24 scope global eth0")
    assert line == AddressLine("eth0", "198.18.0.50", True, 1000)


def test_without_a_stamp_there_is_no_time() -> None:
    assert parse_address_line("Deleted 7: vrrp.51@eth0    inet 198.18.0.50/32 scope global vrrp.51") == AddressLine(
        "vrrp.51@eth0", "198.18.0.50", True, None
    )


def test_labels_of_what_is_monitored_are_passed_over() -> None:
    line = parse_address_line("[1970-01-01T00:00:01.000000] [ADDR]2: eth0    inet 198.18.0.50/24 scope global eth0")
    assert line is not None and (line.address, line.stamp_ns) == ("198.18.0.50", 10**9)


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


def test_point_to_point_address_is_the_local_one() -> None:
    line = parse_address_line("3: tun0    inet 198.18.0.50 peer 198.18.0.51/32 scope global tun0")
    assert line is not None and line.address == "198.18.0.50"


def test_ipv6_address_is_known_in_any_spelling() -> None:
    line = parse_address_line("2: eth0    inet6 2001:DB8:0:0::50/64 scope global ")
    assert line is not None and line.address == "2001:db8::50"


@pytest.mark.parametrize(
    "line",
    [
        "       valid_lft forever preferred_lft forever",
        "Timestamp: Sat Nov 21 03:55:58 2026 717691 usec",
        "[1970-13-41T00:00:00.000000] 2: eth0    inet 198.18.0.50/24 scope global eth0",
        "2: eth0    inet 198.18.0.500/24 scope global eth0",
        "2: eth0    inet 198.18.0.50",
        "",
    ],
)
def test_anything_else_is_nothing(line: str) -> None:
    assert parse_address_line(line) is None


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


@pytest.mark.parametrize(
    ("monitor", "show"),
    [
        ("ssh lb1 ip -ts monitor address", "ssh lb1 ip -o address show"),
        ("ip monitor address", "ip -o address show"),
        ("sudo -n /usr/sbin/ip -ts -4 mon addr", "sudo -n /usr/sbin/ip -o address show"),
        ("kubectl exec ip -- ip -t m a", "kubectl exec ip -- ip -o address show"),
    ],
)
def test_command_to_show_follows_from_the_one_to_monitor(monitor: str, show: str) -> None:
    assert show_command(Command(tuple(monitor.split()))) == Command(tuple(show.split()))


def test_command_to_show_gets_the_environment_of_the_one_to_monitor() -> None:
    monitor = Command(("kubectl", "exec", "lb1", "--", "ip", "monitor", "address"), ("KUBECONFIG",))
    show = show_command(monitor)
    assert show is not None and show.variables == ("KUBECONFIG",)


@pytest.mark.parametrize(
    "monitor", ["watch-vip lb1", "ssh lb1 ip -ts monitor all", "ip", "ssh lb1 ip monitor address dev x"]
)
def test_command_of_another_form_tells_nothing_about_the_beginning(monitor: str) -> None:
    assert show_command(Command(tuple(monitor.split()))) is None


@given(
    st.integers(min_value=-48, max_value=56).map(lambda quarters: quarters * HOUR_NS // 4),
    st.integers(min_value=0, max_value=5 * 60 * 10**9),
)
def test_time_zone_follows_from_the_arrival(zone_ns: int, delay_ns: int) -> None:
    happened_ns = 1_795_233_000 * 10**9
    assert local_to_utc_ns(happened_ns + zone_ns, happened_ns + delay_ns) == happened_ns
