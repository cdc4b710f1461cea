"""A capture file of tcpdump, as the TCP segments in it: Ethernet and IPv4, which is what the lab has."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntFlag
from pathlib import Path

FILE_HEAD, RECORD_HEAD, ETHERNET, IPV4_LEAST = 24, 16, 14, 20
MAGIC_NS = 0xA1B23C4D
"""Of a file whose stamps are in nanoseconds (tcpdump --time-stamp-precision=nano)."""


class Flag(IntFlag):
    FIN = 1
    SYN = 2
    RST = 4
    ACK = 16


@dataclass(frozen=True, slots=True)
class Segment:
    at_ns: int
    """As the kernel stamped it, of the wall clock."""
    source: tuple[str, int]
    destination: tuple[str, int]
    sequence: int
    acknowledged: int
    flags: Flag
    data: bytes


def read_segments(path: Path) -> Iterator[Segment]:
    """All of them, in the order of the file. A record that is cut off at its end is none."""
    text = path.read_bytes()
    (magic,) = struct.unpack_from("<I", text)
    assert magic == MAGIC_NS, f"{path} is no capture with stamps in nanoseconds"
    place = FILE_HEAD
    while place + RECORD_HEAD <= len(text):
        seconds, nanoseconds, length, _ = struct.unpack_from("<IIII", text, place)
        place += RECORD_HEAD
        packet = text[place + ETHERNET : place + length]
        place += length
        if place <= len(text) and (segment := read_segment(seconds * 1_000_000_000 + nanoseconds, packet)):
            yield segment


def read_segment(at_ns: int, packet: bytes) -> Segment | None:
    """Of an IPv4 packet; None: it is no TCP."""
    return _segment(at_ns, packet) if len(packet) >= IPV4_LEAST and packet[9] == 6 else None


def _segment(at_ns: int, packet: bytes) -> Segment:
    head = (packet[0] & 0xF) * 4
    (total,) = struct.unpack_from(">H", packet, 2)
    source_port, destination_port, sequence, acknowledged = struct.unpack_from(">HHII", packet, head)
    data = head + (packet[head + 12] >> 4) * 4
    source, destination = (".".join(map(str, packet[at : at + 4])) for at in (12, 16))
    flags = Flag(packet[head + 13] & 0x17)
    ends = (source, source_port), (destination, destination_port)
    return Segment(at_ns, *ends, sequence, acknowledged, flags, packet[data:total])
