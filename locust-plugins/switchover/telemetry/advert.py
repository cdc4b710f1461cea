"""Receive IPv4 VRRP adverts on the target's network. A new master sends an advert at once (RFC 9568 section 6.4).
Without CAP_NET_RAW or a link to the network, no advert is received and no error is reported."""

import contextlib
import ipaddress
import socket
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from time import monotonic_ns

from switchover.http.address import find_addresses, known_addresses
from switchover.http.timestamps import ANCILLARY_BYTES, PacketStamps
from switchover.model.clock import Clock
from switchover.rundir.journal import Journal
from switchover.rundir.measurements import ADVERT
from switchover.target.model import Node
from switchover.telemetry.fetch import SCRAPE_S

GROUP = "224.0.0.18"
PROTOCOL = 112
POLL_S = 0.2
"""The maximum wait for an advert before the next check of `stop`."""
EVERY_NS = 1_000_000_000
"""The minimum time, in ns, between two recorded adverts of a node whose adverts do not change."""
_RECEIVE = 2048
_VERSIONS = (0x21, 0x31)
"""The first byte of an advert: version 2 or 3, and type 1, the only type."""
_FIRST_ADDRESS = 8


@dataclass(frozen=True, slots=True)
class Advert:
    """One advert. Priority 0 means that the sender stops being master."""

    sender: str
    vrid: int
    priority: int
    addresses: frozenset[str]


def parse_advert(packet: bytes) -> Advert | None:
    """Parse an IPv4 packet with its header. None: the packet is not an advert."""
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
    return Advert(sender, body[1], body[2], frozenset(str(ipaddress.IPv4Address(address)) for address in named))


@dataclass(slots=True)
class AdvertSource:
    """Records which node advertises the virtual address. `run` blocks the calling thread."""

    _nodes: Iterable[Node]
    _vip_host: str
    _journal: Journal
    _clock: Clock
    ready: threading.Event = field(default_factory=threading.Event)
    _node_of: dict[str, str] = field(default_factory=dict)
    _vip: frozenset[str] = frozenset()
    _last: tuple[str, int] | None = None
    _written_ns: dict[str, int] = field(default_factory=dict)

    def run(self, stop: threading.Event) -> None:
        try:
            self.look_up()
            with self._listen() as sock, contextlib.closing(PacketStamps()) as stamps:
                stamps.ask(sock)
                self.ready.set()
                self._follow(sock, stamps, stop)
        except OSError:
            # No permission for raw sockets, or no link to the network: only other sources report the owner.
            return
        finally:
            self.ready.set()

    def look_up(self) -> None:
        """Resolve the addresses of the nodes and of the target. Raises OSError if the target has no address."""
        self._vip = frozenset(find_addresses(self._vip_host, SCRAPE_S))
        for node in self._nodes:
            if node.host:
                self._node_of.update(dict.fromkeys(known_addresses(node.host, SCRAPE_S), node.name))

    def receive(self, packet: bytes, at_ns: int) -> None:
        """Process one packet. `at_ns`: its arrival on the run's clock."""
        advert = parse_advert(packet)
        if advert is None or not advert.addresses & self._vip:
            return
        node = self._node_of.get(advert.sender)
        if node is None:
            return
        is_changed = self._last != (node, advert.priority)
        self._last = (node, advert.priority)
        if is_changed or at_ns - self._written_ns.get(node, 0) >= EVERY_NS:
            self._written_ns[node] = at_ns
            fields = {"vrid": advert.vrid, "priority": advert.priority}
            self._journal.write(ADVERT, {"node": node}, fields, at_ns)

    def _listen(self) -> socket.socket:
        vip = next((address for address in self._vip if ":" not in address), None)
        if vip is None:
            raise OSError("no IPv4 address")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as route:
            route.connect((vip, 9))
            own = route.getsockname()[0]
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
        """Read packets in the order of their arrival. If the wall clock was set back, a packet gets the time of the
        previous packet, or of the last wait that timed out."""
        not_before_ns = monotonic_ns()
        while not stop.is_set():
            began_ns = monotonic_ns()
            try:
                packet, ancillary, _, _ = sock.recvmsg(_RECEIVE, ANCILLARY_BYTES)
            except TimeoutError:
                not_before_ns = began_ns
                continue
            not_before_ns = stamps.arrived_ns(ancillary, monotonic_ns(), not_before_ns)
            self.receive(packet, not_before_ns + self._clock.anchor_ns)
