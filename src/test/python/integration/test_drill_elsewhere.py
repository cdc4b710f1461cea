"""Drills that users make and that the lab does not make by itself: over IPv6, over TLS, and by an ordinary user."""

import subprocess
from pathlib import Path

from support.drilling import Drilled, drill
from switchover.lab import addresses
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec

VIP6 = "fd00::50"
SPEAK_IPV6 = """cd /proc/sys/net/ipv6
for name in all default eth0; do echo 0 >conf/$name/disable_ipv6; done
echo 1 >ip_nonlocal_bind
ip -6 address add fd00::{number}/64 dev eth0 nodad
"""
"""The lab switches IPv6 off, because its address detection delays the links."""


def has_failed_over(done: Drilled) -> None:
    done.assert_word("MEASURED")
    assert done.verdict["timeline"] and done.verdict["outage"]["gaps"]
    by_phase = done.verdict["distribution"]["by_phase"]
    assert (set(by_phase["baseline"]["balancers"]), set(by_phase["switchover"]["balancers"])) == ({"lb1"}, {"lb2"})


def test_the_virtual_address_is_of_ipv6(tmp_path: Path) -> None:
    with Lab(LabSpec()) as lab:
        for number, host in enumerate(("client", *addresses.BALANCERS), start=1):
            command = lab.exec_argv(host, ["sh", "-ec", SPEAK_IPV6.format(number=number)])
            subprocess.run(command, check=True)
        for host in addresses.BALANCERS:
            for name, place, text in (
                ("haproxy.cfg", "frontend www\n", f"    bind [{VIP6}]:80\n"),
                ("keepalived.conf", "version 2\n", f"    virtual_ipaddress_excluded {{\n        {VIP6}/64\n    }}\n"),
            ):
                path = lab.directory / host / name
                before, found, after = path.read_text(encoding="utf-8").partition(place)
                assert found
                path.write_text(before + place + text + after, encoding="utf-8")
            for service in ("haproxy", "keepalived"):
                for verb in ("stop", "start"):
                    assert lab.service(host, service, verb)[0] == 0
        target = tmp_path / "target.toml"
        text = lab.target_file.read_text(encoding="utf-8")
        target.write_text(text.replace(f"//{addresses.VIP}", f"//[{VIP6}]"), encoding="utf-8")
        done = drill(lab, tmp_path / "runs", "--fault", "haproxy-kill", "--arm", target=target)
    has_failed_over(done)
    assert done.run["target"]["url"] == f"http://[{VIP6}]/"


def test_probes_and_users_fail_over_by_tls(tmp_path: Path) -> None:
    # A handshake costs a busy machine a hundred times as much as a probe without TLS.
    load = ("--generator", "locust", "--users", "2", "--probe-rate", "50")
    with Lab(LabSpec(mode="https")) as lab:
        done = drill(lab, tmp_path, "--fault", "haproxy-kill", *load)
    has_failed_over(done)
    assert done.run["target"]["url"].startswith("https://")
    assert done.verdict["samples"]["total"] > 0
