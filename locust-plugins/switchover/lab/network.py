"""The lab's switch: one bridge, and a veth pair to each host."""

import subprocess
from collections.abc import Mapping, Sequence

from switchover.lab.addresses import Host
from switchover.model.errors import LabError

BRIDGE_DEVICE = "br0"
RELAY_PORT, RELAY_PEER = "relay", "br-relay"
"""The names of the two ends of a veth pair. The frame relay uses the first end. The second end is a port of the
bridge."""


def bridge_batch(hosts: Mapping[Host, int], relayed: str = "") -> str:
    """Return `ip -batch` input that makes the bridge, and a veth pair for each host.

    One end is the host's port on the bridge, the other end is `eth0` in the network namespace of the host's pid. The
    port of the host `relayed` is not on the bridge: the frame relay copies frames between this port and `RELAY_PORT`.
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
    """Return `ip -batch` input for the interfaces of a host. `more`: additional addresses. `way_to`: a network that
    is directly connected."""
    lines = ["link set lo up", f"address add {host.address}/{prefix_length} brd + dev eth0"]
    lines += [f"address add {address}/32 dev eth0" for address in more]
    lines.append("link set eth0 up")
    lines += [f"route add {way_to} dev eth0"] if way_to else []
    return "\n".join(lines) + "\n"


def run_or_refuse(command: Sequence[str], what: str, text: str = "") -> str:
    """Run a command with the input `text`, and return its output. If it fails, raise LabError with its last error
    line."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        complaint = done.stderr.strip().splitlines()
        raise LabError(f"{what} cannot be made: {complaint[-1] if complaint else done.returncode}")
    return done.stdout
