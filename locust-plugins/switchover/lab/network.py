"""The lab's switch: one bridge, and a veth pair to each host."""

import subprocess
from collections.abc import Mapping, Sequence

from switchover.lab.addresses import CLIENT, MANY_CLIENTS, PREFIX_LENGTH, Host
from switchover.model.errors import LabError

RELAY_PORT = "relay"
"""One end of a veth pair, for the frame relay. The other end is a port of the bridge."""


def bridge_batch(hosts: Mapping[Host, int], relayed: str = "") -> str:
    """Return `ip -batch` input that makes the bridge, and a veth pair for each host: a port of the bridge, and `eth0`
    in the network namespace of the host's pid.

    The frame relay copies frames between the port of the host `relayed`, which is not on the bridge, and RELAY_PORT.
    """
    lines = ["link set lo up", "link add br0 type bridge stp_state 0 forward_delay 0", "link set br0 up"]
    for host, pid in hosts.items():
        lines.append(f"link add {host.bridge_port} type veth peer name eth0 netns {pid}")
        if host.name == relayed:
            lines += [
                f"link set {host.bridge_port} up",
                f"link add {RELAY_PORT} type veth peer name br-relay",
                f"link set {RELAY_PORT} up",
                "link set br-relay master br0 up",
            ]
        else:
            lines.append(f"link set {host.bridge_port} master br0 up")
    return "\n".join(lines) + "\n"


def host_batch(host: Host, client_addresses: Sequence[str]) -> str:
    """Return `ip -batch` input for the interfaces of a host. `client_addresses`: additional addresses of the client,
    to which the other hosts get a route."""
    is_client = host.name == CLIENT
    lines = ["link set lo up", f"address add {host.address}/{PREFIX_LENGTH} brd + dev eth0"]
    lines += [f"address add {address}/32 dev eth0" for address in client_addresses if is_client]
    lines.append("link set eth0 up")
    if client_addresses and not is_client:
        lines.append(f"route add {MANY_CLIENTS} dev eth0")
    return "\n".join(lines) + "\n"


def run_or_refuse(command: Sequence[str], what: str, text: str = "") -> str:
    """Run a command with the input `text`, and return its output. Raises LabError with its last error line."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        complaint = done.stderr.strip().splitlines()
        raise LabError(f"{what} cannot be made: {complaint[-1] if complaint else done.returncode}")
    return done.stdout
