"""The lab's switch: one bridge, and a veth pair to each host."""

import subprocess
from collections.abc import Mapping, Sequence

from switchover.lab.addresses import Host
from switchover.model.errors import LabError

BRIDGE_DEVICE = "br0"
RELAY_PORT, RELAY_PEER = "relay", "br-relay"
"""A veth pair: the frame relay has the first end, the bridge the second."""


def bridge_batch(hosts: Mapping[Host, int], relayed: str = "") -> str:
    """Return `ip -batch` input: the bridge, and for each host a port here and `eth0` in the namespace of that
    pid.

    The port of the `relayed` host is not on the bridge: a relay of frames stands between it and `RELAY_PORT`.
    """
    lines = [
        "link set lo up",
        f"link add {BRIDGE_DEVICE} type bridge stp_state 0 forward_delay 0",
        f"link set {BRIDGE_DEVICE} up",
    ]
    for host, pid in hosts.items():
        lines.append(f"link add {host.bridge_port} type veth peer name eth0 netns {pid}")
        if host.name == relayed:
            lines.append(f"link set {host.bridge_port} up")
            lines.append(f"link add {RELAY_PORT} type veth peer name {RELAY_PEER}")
            lines.append(f"link set {RELAY_PORT} up")
            lines.append(f"link set {RELAY_PEER} master {BRIDGE_DEVICE} up")
        else:
            lines.append(f"link set {host.bridge_port} master {BRIDGE_DEVICE} up")
    return "\n".join(lines) + "\n"


def host_batch(host: Host, prefix_length: int, more: Sequence[str] = (), way_to: str = "") -> str:
    """Return `ip -batch` input for the inside of a host. `more`: further addresses. `way_to`: a network on the
    link."""
    lines = ["link set lo up", f"address add {host.address}/{prefix_length} brd + dev eth0"]
    lines += [f"address add {address}/32 dev eth0" for address in more]
    lines.append("link set eth0 up")
    lines += [f"route add {way_to} dev eth0"] if way_to else []
    return "\n".join(lines) + "\n"


def run_or_refuse(command: Sequence[str], what: str, text: str = "") -> str:
    """Return the output of a command with the input `text`. Raises LabError with its last error line."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        complaint = done.stderr.strip().splitlines()
        raise LabError(f"{what} cannot be made: {complaint[-1] if complaint else done.returncode}")
    return done.stdout
