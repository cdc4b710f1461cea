"""The lab's network: hosts with addresses from 198.18.0.0/15 (RFC 2544: addresses for tests), on one bridge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

VIP = "198.18.0.50"
PREFIX_LENGTH = 24
BRIDGE = "bridge"
"""The name of the host with the bridge. This host is the network namespace of the supervisor."""
CLIENT = "client"
BALANCERS = ("lb1", "lb2")
MANY_CLIENTS = "198.19.0.0/16"
"""The network of the client's additional addresses, on the same bridge."""
STATS_PORT = 8404
STATUS_PORT = 8080
HELD_PORT = 8090
"""The port of the application for held connections on a web server's host. Only the web server on the same host sends
requests to this port."""
RAW_PORT = 7000
"""The port of the TCP echo service, at the virtual address and at the backends."""
H2_PORT = 81
"""Nginx's port for HTTP/2 without TLS at the virtual address. Without TLS, Nginx 1.22 cannot serve HTTP/1.1 and
HTTP/2 on one port."""
RELAY_PORT = "relay"
"""The frame relay's end of a veth pair. The other end of the pair is a port of the bridge."""


@dataclass(frozen=True, slots=True)
class Host:
    """One host of the lab: a process with separate network, mount and pid namespaces."""

    name: str
    address: str

    @property
    def bridge_port(self) -> str:
        """The name of the host's port on the bridge. Inside the host, the interface is `eth0`."""
        return f"br-{self.name}"


def client() -> Host:
    return Host(CLIENT, "198.18.0.2")


def balancers() -> tuple[Host, ...]:
    return tuple(Host(name, f"198.18.0.{11 + number}") for number, name in enumerate(BALANCERS))


def backends(count: int) -> tuple[Host, ...]:
    return tuple(Host(f"web{number}", f"198.18.0.{20 + number}") for number in range(1, count + 1))


def client_addresses(count: int) -> tuple[str, ...]:
    """Return additional addresses of the client, each in a separate /24."""
    return tuple(f"198.19.{number}.2" for number in range(1, count + 1))


def bridge_batch(hosts: Mapping[Host, int], relayed: str = "") -> str:
    """Return `ip -batch` input for a bridge and veth pairs. The host `relayed` gets no direct link to the bridge."""
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
    """Return `ip -batch` input for the interfaces of a host. Hosts other than the client get a route to
    `client_addresses`."""
    is_client = host.name == CLIENT
    lines = ["link set lo up", f"address add {host.address}/{PREFIX_LENGTH} brd + dev eth0"]
    lines += [f"address add {address}/32 dev eth0" for address in client_addresses if is_client]
    lines.append("link set eth0 up")
    if client_addresses and not is_client:
        lines.append(f"route add {MANY_CLIENTS} dev eth0")
    return "\n".join(lines) + "\n"
