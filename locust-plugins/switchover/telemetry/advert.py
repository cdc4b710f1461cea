"""VRRP adverts on the target's network: the sender is the master, and the time is the kernel's own stamp.

A new master sends its first advert at once (RFC 9568 section 6.4). So the arrival of the advert is the time of the
election, plus the time that a packet takes. Listening needs the right to raw sockets (CAP_NET_RAW) and the balancers'
network. If either is missing, no advert is received and nothing is reported. IPv4 only. Adverts to unicast peers are
not received.
"""

import contextlib
import ipaddress
import socket
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from time import monotonic_ns

from switchover.http.address import find_addresses
from switchover.http.timestamps import ANCILLARY_BYTES, PacketStamps
from switchover.model.clock import Clock
from switchover.rundir.journal import Journal
from switchover.rundir.measurements import ADVERT
from switchover.target.model import Node
from switchover.telemetry.fetch import TIMEOUT_S

GROUP = "224.0.0.18"
PROTOCOL = 112
POLL_S = 0.2
"""The longest wait for an advert before the source checks if it must stop."""
EVERY_NS = 1_000_000_000
"""The shortest time between two recorded adverts without news."""
_RECEIVE = 2048
_VERSIONS = (0x21, 0x31)
"""Versions 2 and 3, both of type 1: VRRP has no other packet."""
_FIRST_ADDRESS = 8


@dataclass(frozen=True, slots=True)
class Advert:
    """One advert. Priority 0: its sender resigns."""

    sender: str
    vrid: int
    priority: int
    addresses: frozenset[str]


def parse_advert(packet: bytes) -> Advert | None:
    """Parse an IPv4 packet with its header. None: it is not an advert."""
    if len(packet) < 20 or packet[0] >> 4 != 4 or packet[9] != PROTOCOL:
        return None
    body = packet[(packet[0] & 0x0F) * 4 :]
    if len(body) < _FIRST_ADDRESS or body[0] not in _VERSIONS:
        return None
    end = _FIRST_ADDRESS + 4 * body[3]
    if len(body) < end:
        return None
    named = (body[at : at + 4] for at in range(_FIRST_ADDRESS, end, 4))
    sender = str(ipaddress.IPv4Address(packet[12:16]))
    return Advert(sender, body[1], body[2], frozenset(str(ipaddress.IPv4Address(one)) for one in named))


class AdvertSource:
    """Records which node advertises the virtual address. `run` needs a separate thread."""

    def __init__(self, nodes: Iterable[Node], vip_host: str, journal: Journal, clock: Clock) -> None:
        self.ready = threading.Event()
        self._nodes = [node for node in nodes if node.host]
        self._vip_host = vip_host
        self._journal = journal
        self._clock = clock
        self._node_of: dict[str, str] = {}
        self._vip: frozenset[str] = frozenset()
        self._last: tuple[str, int] | None = None
        self._written_ns: dict[str, int] = {}

    def run(self, stop: threading.Event) -> None:
        try:
            self.look_up()
            with self._listen() as sock, contextlib.closing(PacketStamps()) as stamps:
                stamps.ask(sock)
                self.ready.set()
                self._follow(sock, stamps, stop)
        except OSError:
            # No right to raw sockets, or another network. The other sources must suffice.
            return
        finally:
            self.ready.set()

    def look_up(self) -> None:
        """Resolve the addresses of the nodes and of the target. Raises OSError if the target has none."""
        self._vip = frozenset(find_addresses(self._vip_host, TIMEOUT_S))
        for node in self._nodes:
            try:
                self._node_of.update(dict.fromkeys(find_addresses(node.host or "", TIMEOUT_S), node.name))
            except OSError:
                continue

    def hear(self, packet: bytes, at_ns: int) -> None:
        """Process one packet that arrived at a time of the run's clock."""
        advert = parse_advert(packet)
        if advert is None or not advert.addresses & self._vip:
            return
        node = self._node_of.get(advert.sender)
        if node is None:
            return
        news = self._last != (node, advert.priority)
        self._last = (node, advert.priority)
        if news or at_ns - self._written_ns.get(node, 0) >= EVERY_NS:
            self._written_ns[node] = at_ns
            fields = {"vrid": advert.vrid, "priority": advert.priority}
            self._journal.write(ADVERT, {"node": node}, fields, at_ns)

    def _listen(self) -> socket.socket:
        vip = next((address for address in self._vip if ":" not in address), None)
        if vip is None:
            raise OSError("no IPv4 address")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
            way.connect((vip, 9))
            own = way.getsockname()[0]
        sock = socket.socket(socket.AF_INET, socket.SOCK_RAW, PROTOCOL)
        try:
            membership = socket.inet_aton(GROUP) + socket.inet_aton(own)
            sock.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, membership)
            sock.settimeout(POLL_S)
        except OSError:
            sock.close()
            raise
        return sock

    def _follow(self, sock: socket.socket, stamps: PacketStamps, stop: threading.Event) -> None:
        """Read packets in the order of their arrival, and limit their time stamps from below.

        A packet cannot be older than the packet before it, or than a wait without a packet. This also holds if the
        stamping clock was set back.
        """
        not_before_ns = monotonic_ns()
        while not stop.is_set():
            asked_ns = monotonic_ns()
            try:
                packet, ancillary, _, _ = sock.recvmsg(_RECEIVE, ANCILLARY_BYTES)
            except TimeoutError:
                not_before_ns = asked_ns
                continue
            not_before_ns = stamps.arrived_ns(ancillary, monotonic_ns(), not_before_ns)
            self.hear(packet, not_before_ns + self._clock.anchor_ns)
