"""The names and addresses of the lab's hosts, all from 198.18.0.0/15 (RFC 2544: addresses for tests)."""

from dataclasses import dataclass

VIP = "198.18.0.50"
PREFIX_LENGTH = 24
BRIDGE = "bridge"
"""The host with the switch: the network namespace of the supervisor."""
CLIENT = "client"
BALANCERS = ("lb1", "lb2")
MANY_CLIENTS = "198.19.0.0/16"
"""The network of the client's additional addresses, on the same bridge."""
STATS_PORT = 8404
STATUS_PORT = 8080
HELD_PORT = 8090
"""The port of the application on a web server's host. Only this web server sends requests to the application."""
RAW_PORT = 7000
"""The port of the TCP echo service, at the virtual address and at the backends."""
H2_PORT = 81
"""Nginx's port for HTTP/2 without TLS at the virtual address. Nginx 1.22 cannot serve HTTP/1.1 and 2 on one port."""


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
