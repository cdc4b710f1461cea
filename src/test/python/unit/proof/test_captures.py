"""Captures: what is cut out of them, what they say was lost, and what the row of a series does not prove."""

import json
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from proof import captured_changes
from proof.captured_changes import Pair, ReportedLoss, as_table, broken, keep
from proof.captured_losses import By, CapturedLoss, follow
from proof.kept_captures import NEAR_NS, cut, handover_ns, probes_have
from proof.lost_captures import BEFORE_NS, BEHIND_NS, cut_connection, ended_by, under_way_ms
from proof.pages import read_between
from support.pcap import FILE_HEAD, MAGIC_NS, Flag, Segment, read_segments
from switchover.lab import addresses

HEAD = struct.pack("<I", MAGIC_NS).ljust(FILE_HEAD, b"\0")
MASTER_S, BACKUP_S = 10, 13
PORT, OTHER_PORT = 40_000, 40_001
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


def answer(at_ns: int, balancer: str, body: int = 0) -> bytes:
    """An answer of that balancer."""
    return record(at_ns, PORT, f"HTTP/1.1 200 OK\r\nX-Balancer: {balancer}\r\n\r\n".encode() + bytes(body))


@pytest.fixture
def edges_ns() -> tuple[int, int]:
    return MASTER_S * 1_000_000_000, BACKUP_S * 1_000_000_000


def test_a_cut_capture_has_the_same_handover_and_nothing_far_from_its_edges(
    tmp_path: Path, edges_ns: tuple[int, int]
) -> None:
    last, first = edges_ns
    far = [answer(last - NEAR_NS - 1, "lb1", 1000), answer(first + NEAR_NS + 1, "lb2", 1000)]
    near = [answer(last - NEAR_NS, "lb1", 1000), answer(last, "lb1"), answer(first, "lb2")]
    path = tmp_path / "kept.pcap"
    path.write_bytes(cut(HEAD + b"".join([far[0], *near, far[1]]), edges_ns))
    assert handover_ns(path, "lb1") == edges_ns
    assert path.stat().st_size < len(near[0])


def test_a_capture_without_another_balancer_has_no_handover(tmp_path: Path, edges_ns: tuple[int, int]) -> None:
    path = tmp_path / "kept.pcap"
    path.write_bytes(HEAD + answer(edges_ns[0], "lb1"))
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


def row(change: str = "nginx-reload", **more: Any) -> dict[str, Any]:
    return {
        "change": change,
        "made": 100,
        "verdict": "MEASURED",
        "reasons": [],
        "unaccounted": 0,
        "answers": 98_765,
        "capture_dropped": 0,
        "connections": 21_887,
        "closed_politely": 21_358,
        "captured": {"pooled rst": 2},
        "reported": {"pooled rst": 2},
        "own_fault": [],
        "under_way_us": [600, 900],
        "sent_behind_us": [],
        "only_captured": [],
        "only_reported": [],
    } | more


def test_a_series_whose_losses_and_answers_are_all_there_proves_it() -> None:
    assert list(broken(row())) == []
    assert "| 100, MEASURED | 21,887; 21,358 | 2 pooled rst | 2 pooled rst | 0 | 0 |" in as_table([row()])
    assert as_table([row()]).endswith("| 0.60 to 0.90 ms, median 0.75 | none | 0 of 98,765 |")


@pytest.mark.parametrize(
    ("flaw", "said"),
    [
        ({"verdict": "NO EFFECT", "reasons": ["1 of 100 times"]}, "nginx-reload: NO EFFECT: 1 of 100 times"),
        ({"unaccounted": 3}, "nginx-reload: 3 of 98,765 answers are unaccounted"),
        ({"only_captured": ["pooled rst at 7"]}, "nginx-reload: only captured: pooled rst at 7"),
        ({"capture_dropped": 5}, "nginx-reload: the capture dropped 5 packets"),
    ],
)
def test_what_a_series_does_not_prove_is_said(flaw: dict[str, Any], said: str) -> None:
    assert list(broken(row(**flaw))) == [said]


def test_one_change_alone_leaves_the_row_of_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captured_changes, "DOCS", tmp_path)
    (tmp_path / "proof").mkdir()
    file, page = tmp_path / "proof" / "captured_changes.json", tmp_path / captured_changes.PAGE
    page.write_text("<!-- captured -->\n<!-- /captured -->\n", encoding="utf-8")
    before = [row("haproxy-reload"), row(word="NO EFFECT")]
    file.write_text(json.dumps(before), encoding="utf-8")
    keep([row()])
    assert json.loads(file.read_text(encoding="utf-8")) == [before[0], row()]
    assert read_between(page, "captured").strip() == as_table([before[0], row()])


CLIENT, SERVER = ("198.18.0.2", 40000), ("198.18.0.50", 80)
RAW = ("198.18.0.50", 7000)
GOOD = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n"
POST = b"POST /connections/post/pooled HTTP/1.1\r\n\r\n"


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


SENT_NS = 10_000_000_000
ENDED_NS = SENT_NS + 4_000_000


def loss(by: By) -> Pair:
    captured = CapturedLoss("pooled", by, ENDED_NS, SENT_NS, None, PORT)
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
        record(SENT_NS - BEFORE_NS, PORT, b"POST", from_client=True),
        record(SENT_NS - BEFORE_NS + 1, PORT, b"HTTP/1.1 200 OK"),
        record(SENT_NS, PORT, b"POST", from_client=True),
        record(ENDED_NS, PORT, flags=flag),
        record(ENDED_NS + BEHIND_NS, PORT, from_client=True),
    ]
    others = [
        record(SENT_NS - BEFORE_NS - 1, PORT, b"POST", from_client=True),
        record(SENT_NS, OTHER_PORT, b"POST", from_client=True),
        record(ENDED_NS + BEHIND_NS + 1, PORT),
    ]
    cut = cut_connection(HEAD + others[0] + b"".join(kept[:3]) + others[1] + b"".join(kept[3:]) + others[2], loss(by))
    assert cut == HEAD + b"".join(kept)
    path = tmp_path / "lost.pcap"
    path.write_bytes(cut)
    assert len(list(read_segments(path))) == len(kept)
    assert (under_way_ms(path), ended_by(path)) == (4.0, by)
