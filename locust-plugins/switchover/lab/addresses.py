"""The names and addresses of the lab's hosts, all from 198.18.0.0/15 (RFC 2544: networks under test)."""

from dataclasses import dataclass

VIP = "198.18.0.50"
PREFIX_LENGTH = 24
BRIDGE = "bridge"
"""The host that is the switch: the supervisor's own network namespace."""
CLIENT = "client"
BALANCERS = ("lb1", "lb2")
MAX_BACKENDS = 29
"""198.18.0.21 to .49: the next address is the virtual one."""
MANY_CLIENTS = "198.19.0.0/16"
"""Further addresses of the client, on the same bridge."""
STATS_PORT = 8404
STATUS_PORT = 8080
HELD_PORT = 8090
"""Of the application beside a web server, which only that server asks."""
RAW_PORT = 7000
"""Plain TCP, echoed: of the virtual address and of the backends."""
H2_PORT = 81
"""Of the virtual address where Nginx speaks HTTP/2 without TLS: 1.22 cannot tell the two apart on one port."""


@dataclass(frozen=True, slots=True)
class Host:
    """One host of the lab: a process with a network, mount and pid namespace of its own."""

    name: str
    address: str

    @property
    def bridge_port(self) -> str:
        """The name of the host's port on the bridge; inside the host the interface is `eth0`."""
        return f"br-{self.name}"


def client() -> Host:
    return Host(CLIENT, "198.18.0.2")


def balancers() -> tuple[Host, ...]:
    return tuple(Host(name, f"198.18.0.{11 + number}") for number, name in enumerate(BALANCERS))


def backends(count: int) -> tuple[Host, ...]:
    return tuple(Host(f"web{number}", f"198.18.0.{20 + number}") for number in range(1, count + 1))


def client_addresses(count: int) -> tuple[str, ...]:
    """Further addresses of the client, each in a /24 of its own."""
    return tuple(f"198.19.{number}.2" for number in range(1, count + 1))
