"""The lab's switch: one bridge, and a veth pair to each host."""

import subprocess
from collections.abc import Mapping

from switchover.lab.addresses import Host
from switchover.model.errors import LabError

BRIDGE_DEVICE = "br0"


def bridge_batch(hosts: Mapping[Host, int]) -> str:
    """`ip -batch` input: the bridge, and for each host a port here and `eth0` in the namespace of that pid."""
    lines = [
        "link set lo up",
        f"link add {BRIDGE_DEVICE} type bridge stp_state 0 forward_delay 0",
        f"link set {BRIDGE_DEVICE} up",
    ]
    for host, pid in hosts.items():
        lines.append(f"link add {host.bridge_port} type veth peer name eth0 netns {pid}")
        lines.append(f"link set {host.bridge_port} master {BRIDGE_DEVICE} up")
    return "\n".join(lines) + "\n"


def host_batch(host: Host, prefix_length: int) -> str:
    """`ip -batch` input for the inside of a host."""
    return f"link set lo up\naddress add {host.address}/{prefix_length} brd + dev eth0\nlink set eth0 up\n"


def run_ip_batch(ip: str, batch: str) -> None:
    done = subprocess.run([ip, "-batch", "-"], input=batch, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = done.stderr.strip().splitlines()
        raise LabError(f"the lab's network cannot be made: {reason[0] if reason else done.returncode}")
