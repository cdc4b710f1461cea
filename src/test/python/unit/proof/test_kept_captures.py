"""Kept captures: what is cut out of them, and the handover that is read in what is left."""

import struct
from pathlib import Path

import pytest

from proof.kept_captures import NEAR_NS, cut, handover_ns, probes_have
from support.pcap import FILE_HEAD, MAGIC_NS

HEAD = struct.pack("<I", MAGIC_NS).ljust(FILE_HEAD, b"\0")
MASTER_S, BACKUP_S = 10, 13


def record(at_ns: int, balancer: str, body: int = 0) -> bytes:
    """An answer of that balancer, as tcpdump writes it: Ethernet, IPv4, TCP."""
    data = f"HTTP/1.1 200 OK\r\nX-Balancer: {balancer}\r\n\r\n".encode() + bytes(body)
    ip = bytearray(20)
    ip[0], ip[9] = 0x45, 6
    struct.pack_into(">H", ip, 2, 40 + len(data))
    tcp = bytearray(20)
    tcp[12] = 0x50
    packet = bytes(14) + bytes(ip) + bytes(tcp) + data
    seconds, nanoseconds = divmod(at_ns, 1_000_000_000)
    return struct.pack("<IIII", seconds, nanoseconds, len(packet), len(packet)) + packet


@pytest.fixture
def edges_ns() -> tuple[int, int]:
    return MASTER_S * 1_000_000_000, BACKUP_S * 1_000_000_000


def test_a_cut_capture_has_the_same_handover_and_nothing_far_from_its_edges(
    tmp_path: Path, edges_ns: tuple[int, int]
) -> None:
    last, first = edges_ns
    far = [record(last - NEAR_NS - 1, "lb1", 1000), record(first + NEAR_NS + 1, "lb2", 1000)]
    near = [record(last - NEAR_NS, "lb1", 1000), record(last, "lb1"), record(first, "lb2")]
    path = tmp_path / "kept.pcap"
    path.write_bytes(cut(HEAD + b"".join([far[0], *near, far[1]]), edges_ns))
    assert handover_ns(path, "lb1") == edges_ns
    assert path.stat().st_size < len(near[0])


def test_a_capture_without_another_balancer_has_no_handover(tmp_path: Path, edges_ns: tuple[int, int]) -> None:
    path = tmp_path / "kept.pcap"
    path.write_bytes(HEAD + record(edges_ns[0], "lb1"))
    with pytest.raises(AssertionError, match="no handover"):
        handover_ns(path, "lb1")


def test_an_outage_lies_between_the_ends_of_two_good_probes(tmp_path: Path) -> None:
    path = tmp_path / "probes.csv"
    rows = [
        "after_kill_us,lasted_us,success,error,balancer",
        "-900,500,1,,lb1",
        "100,200,0,refused,",
        "2600,400,1,,lb2",
    ]
    path.write_text("\n".join(rows), encoding="utf-8")
    assert probes_have(path, 3.4)
    assert not probes_have(path, 2.7)  # to the failed one
