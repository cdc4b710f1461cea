"""What a capture says that was lost, from segments as the test writes them."""

import struct
from collections.abc import Iterable
from pathlib import Path

import pytest

from proof.captured_losses import CapturedLoss, follow
from support.pcap import MAGIC_NS, Flag, Segment, read_segments

CLIENT, SERVER = ("198.18.0.2", 40000), ("198.18.0.50", 80)
RAW = ("198.18.0.50", 7000)
GOOD = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n"
POST = b"POST /connections/post/pooled HTTP/1.1\r\n\r\n"
NONE = Flag(0)


class Wire:
    """Segments of one connection, a millisecond apart."""

    def __init__(self, server: tuple[str, int] = SERVER) -> None:
        self.segments: list[Segment] = []
        self._server = server
        self._next = {CLIENT: 1, server: 1}
        for side in (CLIENT, server):
            self._add(side, Flag.SYN, b"", 0)

    def asks(self, data: bytes = b"", flags: Flag = NONE) -> "Wire":
        return self._says(CLIENT, data, flags)

    def answers(self, data: bytes = b"", flags: Flag = NONE) -> "Wire":
        return self._says(self._server, data, flags)

    def again(self) -> "Wire":
        self.segments.append(self.segments[-1])
        return self

    def _says(self, side: tuple[str, int], data: bytes, flags: Flag) -> "Wire":
        self._add(side, flags, data, self._next[side])
        self._next[side] += len(data)
        return self

    def _add(self, side: tuple[str, int], flags: Flag, data: bytes, sequence: int) -> None:
        other = self._server if side == CLIENT else CLIENT
        self.segments.append(Segment(len(self.segments) * 1_000_000, side, other, sequence, 0, flags, data))


def lost(wire: Wire) -> list[CapturedLoss]:
    found = follow(wire.segments, SERVER[0], frozenset({80}), RAW[1])
    return [loss for one in found for loss in one.losses]


def told(losses: Iterable[CapturedLoss]) -> list[tuple[str, str, int | None]]:
    return [(loss.kind, loss.by.value, loss.late_ns) for loss in losses]


@pytest.mark.parametrize(("flag", "by"), [(Flag.FIN, "fin"), (Flag.RST, "rst")])
def test_a_request_under_way_when_the_balancer_closes_is_lost(flag: Flag, by: str) -> None:
    (loss,) = lost(Wire().asks(POST).answers(GOOD).asks(POST).answers(flags=flag))
    assert told([loss]) == [("pooled", by, None)]
    assert loss.at_ns - (loss.sent_ns or 0) == 1_000_000


def test_a_close_when_nothing_is_under_way_is_polite_also_behind_bytes_that_were_sent_again() -> None:
    assert lost(Wire().asks(POST).answers(GOOD).again().answers(flags=Flag.FIN)) == []


def test_a_request_that_was_sent_behind_the_fin_is_lost_and_so_late() -> None:
    wire = Wire().asks(POST).answers(GOOD).answers(flags=Flag.FIN).asks(POST).answers(flags=Flag.RST)
    assert told(lost(wire)) == [("pooled", "fin", 1_000_000)]


def test_what_comes_after_the_client_has_closed_is_for_nobody() -> None:
    assert lost(Wire().asks(POST).asks(flags=Flag.FIN).answers(flags=Flag.RST)) == []


def test_an_answer_that_says_no_is_lost() -> None:
    assert told(lost(Wire().asks(POST).answers(GOOD.replace(b"200", b"503")))) == [("pooled", "status", None)]


def test_plain_tcp_has_no_polite_end() -> None:
    assert told(lost(Wire(RAW).asks(b"1\n").answers(b"1\n").answers(flags=Flag.FIN))) == [("tcp", "fin", None)]


@pytest.mark.parametrize(("last", "expected"), [(b"event: end\n\n", []), (b"id: 2\n\n", [("sse", "fin", None)])])
def test_a_stream_of_events_ends_by_saying_so(last: bytes, expected: list[tuple[str, str, int | None]]) -> None:
    wire = Wire().asks(b"GET /connections/sse HTTP/1.1\r\n\r\n").answers(b"id: 1\n\n").answers(last)
    assert told(lost(wire.answers(flags=Flag.FIN))) == expected


def frame(kind: int, stream: int, payload: bytes = b"", flags: int = 0) -> bytes:
    return len(payload).to_bytes(3) + bytes((kind, flags)) + stream.to_bytes(4) + payload


def test_of_http2_only_what_a_goaway_has_taken_is_lost() -> None:
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    goaway = frame(7, 0, (3).to_bytes(4) + bytes(4))
    wire = Wire().asks(preface + frame(1, 1) + frame(1, 3) + frame(1, 5)).answers(frame(0, 1, b"ok", 1) + goaway)
    assert told(lost(wire.asks(frame(1, 7)).answers(flags=Flag.FIN))) == [("h2", "fin", None)]


def test_a_capture_file_is_read_to_its_last_whole_segment(tmp_path: Path) -> None:
    ip = bytes((0x45, 0)) + (40 + 5).to_bytes(2) + bytes(5) + bytes((6,)) + bytes(2)
    ip += bytes(map(int, CLIENT[0].split("."))) + bytes(map(int, SERVER[0].split(".")))
    tcp = struct.pack(">HHIIBBHHH", CLIENT[1], SERVER[1], 7, 0, 0x50, Flag.ACK | Flag.FIN, 0, 0, 0)
    packet = bytes(14) + ip + tcp + b"hello" + b"\0"  # Ethernet pads what is short
    record = struct.pack("<IIII", 5, 6, len(packet), len(packet)) + packet
    path = tmp_path / "capture"
    path.write_bytes(struct.pack("<I", MAGIC_NS) + bytes(20) + record + record[:-8])
    assert list(read_segments(path)) == [Segment(5_000_000_006, CLIENT, SERVER, 7, 0, Flag.FIN | Flag.ACK, b"hello")]
