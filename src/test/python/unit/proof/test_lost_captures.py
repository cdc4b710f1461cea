"""Packets of lost connections: what is kept of a capture, and the loss that is read in what is left."""

import struct
from pathlib import Path

import pytest

from proof.captured_changes import Pair, ReportedLoss
from proof.captured_losses import By, CapturedLoss
from proof.lost_captures import BEFORE_NS, BEHIND_NS, cut_connection, ended_by, under_way_ms
from support.pcap import FILE_HEAD, MAGIC_NS, Flag, read_segments
from switchover.lab import addresses

HEAD = struct.pack("<I", MAGIC_NS).ljust(FILE_HEAD, b"\0")
CLIENT, OTHER = 40_000, 40_001
SENT_NS = 10_000_000_000
ENDED_NS = SENT_NS + 4_000_000
NONE = Flag(0)


def record(at_ns: int, port: int, data: bytes = b"", flags: Flag = NONE, *, from_client: bool = False) -> bytes:
    """A packet between the client and the virtual address, as tcpdump writes it: Ethernet, IPv4, TCP."""
    ends = [(bytes([198, 18, 0, 2]), port), (bytes(map(int, addresses.VIP.split("."))), 80)]
    (source, source_port), (destination, destination_port) = ends if from_client else ends[::-1]
    ip = bytearray(20)
    ip[0], ip[9] = 0x45, 6
    struct.pack_into(">H", ip, 2, 40 + len(data))
    ip[12:16], ip[16:20] = source, destination
    tcp = struct.pack(">HHII", source_port, destination_port, 0, 0) + bytes([0x50, int(flags)]) + bytes(6)
    packet = bytes(14) + bytes(ip) + tcp + data
    return struct.pack("<IIII", *divmod(at_ns, 1_000_000_000), len(packet), len(packet)) + packet


def loss(by: By) -> Pair:
    captured = CapturedLoss("pooled", by, ENDED_NS, SENT_NS, None, CLIENT)
    reported = ReportedLoss(
        kind="pooled",
        at_us=ENDED_NS // 1000,
        sent_us=SENT_NS // 1000,
        by=by,
        place="pooled 1.1",
        is_own=False,
        position=0,
        worker="6",
        change=1,
    )
    return Pair(captured, reported, 0)


@pytest.mark.parametrize(("flag", "by"), [(Flag.FIN, By.FIN), (Flag.RST, By.RST)])
def test_the_packets_of_one_connection_are_kept_and_tell_the_loss_again(flag: Flag, by: By, tmp_path: Path) -> None:
    kept = [
        record(SENT_NS - BEFORE_NS, CLIENT, b"POST", from_client=True),
        record(SENT_NS - BEFORE_NS + 1, CLIENT, b"HTTP/1.1 200 OK"),
        record(SENT_NS, CLIENT, b"POST", from_client=True),
        record(ENDED_NS, CLIENT, flags=flag),
        record(ENDED_NS + BEHIND_NS, CLIENT, from_client=True),
    ]
    others = [
        record(SENT_NS - BEFORE_NS - 1, CLIENT, b"POST", from_client=True),
        record(SENT_NS, OTHER, b"POST", from_client=True),
        record(ENDED_NS + BEHIND_NS + 1, CLIENT),
    ]
    cut = cut_connection(HEAD + others[0] + b"".join(kept[:3]) + others[1] + b"".join(kept[3:]) + others[2], loss(by))
    assert cut == HEAD + b"".join(kept)
    path = tmp_path / "lost.pcap"
    path.write_bytes(cut)
    assert len(list(read_segments(path))) == len(kept)
    assert (under_way_ms(path), ended_by(path)) == (4.0, by)
