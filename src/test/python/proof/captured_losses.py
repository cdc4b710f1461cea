"""What a capture at the client says that the connections of held connections have lost, read by nothing of the
product.

A request, a stream of messages or one of HTTP/2 was under way when FIN or RST came from the balancer, or it was sent
when FIN had come already: then the capture says how long before.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from support.pcap import Flag, Segment

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, GOAWAY = 0, 1, 3, 7
"""Types of frames (RFC 9113 section 6)."""
END_STREAM = 1
REFUSED_STREAM = 7
CLOSE_FRAME = 0x88
"""The first byte of a whole close frame (RFC 6455 section 5.2)."""
END_EVENT = b"event: end"


class By(StrEnum):
    FIN = "fin"
    RST = "rst"
    STATUS = "status"


@dataclass(frozen=True, slots=True)
class CapturedLoss:
    """Times in ns of the capture."""

    kind: str
    by: By
    at_ns: int
    """The close or the answer came; the request was sent, where that was later."""
    sent_ns: int | None
    """The first byte of the request was sent; None: of a stream of messages."""
    late_ns: int | None
    """So much later than the FIN that it crossed was the request sent; None: it was sent before."""
    port: int
    """Of the client."""


@dataclass(slots=True)
class Conversation:
    """One connection, segment by segment: what is under way on it."""

    port: int
    raw: bool
    """Plain TCP."""
    losses: list[CapturedLoss] = field(default_factory=list)
    polite: int = 0
    """1: closed by the balancer when nothing was under way."""
    kind: str = ""
    _next: dict[bool, int] = field(default_factory=dict)
    """The sequence number that comes next, of the client's bytes and of the balancer's."""
    _asked: bytearray = field(default_factory=bytearray)
    _answered: bytearray = field(default_factory=bytearray)
    _is_under_way: bool = False
    _sent_ns: int | None = None
    """The request that is under way."""
    _fin_ns: int | None = None
    _is_over: bool = False
    _streams: dict[int, int] = field(default_factory=dict)
    """Of HTTP/2: asked for and not answered, and when."""
    _last_taken: int = 1 << 31
    """By GOAWAY: streams with higher numbers were not taken, also those that crossed it."""

    def hear(self, segment: Segment, *, from_client: bool) -> None:
        if self._is_over:
            return
        if Flag.SYN in segment.flags:
            self._next[from_client] = segment.sequence + 1 & 0xFFFFFFFF
            return
        data = self._new_bytes(segment, from_client)
        if from_client:
            if data:
                self._ask(data, segment.at_ns)
            # The client closes: what comes after that is for nobody.
            self._is_over |= bool(segment.flags & (Flag.FIN | Flag.RST))
            return
        if data:
            self._answer(data, segment.at_ns)
        if segment.flags & (Flag.FIN | Flag.RST):
            self._close(By.RST if Flag.RST in segment.flags else By.FIN, segment.at_ns)

    def _new_bytes(self, segment: Segment, from_client: bool) -> bytes:
        """Without those that were sent again."""
        if not segment.data:
            return b""
        known = self._next[from_client] - segment.sequence & 0xFFFFFFFF
        assert known < 1 << 31, f"port {self.port}: the capture lacks a segment"
        data = segment.data[known:]
        self._next[from_client] = self._next[from_client] + len(data) & 0xFFFFFFFF
        return data

    def _ask(self, data: bytes, at_ns: int) -> None:
        self._asked += data
        self.kind = self.kind or ("tcp" if self.raw else kind_of(self._asked))
        if self.kind == "h2":
            for frame, _, number, _ in take_frames(self._asked, preface=True):
                if frame == HEADERS and number <= self._last_taken:
                    self._streams[number] = at_ns
                    if self._fin_ns is not None:
                        self._lose(By.FIN, at_ns, at_ns)
                elif frame == RST_STREAM:
                    self._streams.pop(number, None)
            return
        if not self._is_under_way:
            self._is_under_way, self._sent_ns = True, at_ns
            if self._fin_ns is not None:
                self._lose(By.FIN, at_ns, at_ns)

    def _answer(self, data: bytes, at_ns: int) -> None:
        self._answered += data
        if self.kind == "h2":
            self._answer_streams(at_ns)
        elif self.kind in ("sse", "websocket"):
            is_closed = END_EVENT in data if self.kind == "sse" else CLOSE_FRAME in data
            self._is_under_way &= not is_closed
        elif self.kind not in ("", "tcp") and (status := take_answer(self._answered)):
            self._is_under_way = False
            if status >= 400:
                self._lose(By.STATUS, at_ns, self._sent_ns)

    def _answer_streams(self, at_ns: int) -> None:
        for frame, flags, number, payload in take_frames(self._answered):
            if frame in (DATA, HEADERS) and flags & END_STREAM:
                self._streams.pop(number, None)
            elif frame == RST_STREAM and number in self._streams:
                sent_ns = self._streams.pop(number)
                if int.from_bytes(payload) != REFUSED_STREAM:
                    self._lose(By.RST, at_ns, sent_ns)
            elif frame == GOAWAY:
                self._last_taken = int.from_bytes(payload[:4]) & 0x7FFFFFFF
                self._streams = {one: sent_ns for one, sent_ns in self._streams.items() if one <= self._last_taken}

    def _close(self, by: By, at_ns: int) -> None:
        """A FIN, and a RST that comes without one: what comes behind a FIN was told by it."""
        if self._fin_ns is not None:
            return
        if self.kind == "h2":
            for sent_ns in self._streams.values():
                self._lose(by, at_ns, sent_ns)
            self.polite = int(not self._streams)
            self._streams.clear()
        elif self._is_under_way or self.raw:
            self._lose(by, at_ns, None if self.kind in ("tcp", "sse", "websocket") else self._sent_ns)
        else:
            self.polite = 1
        self._fin_ns = at_ns

    def _lose(self, by: By, at_ns: int, sent_ns: int | None) -> None:
        late_ns = None if self._fin_ns is None else at_ns - self._fin_ns
        self.losses.append(CapturedLoss(self.kind, by, at_ns, sent_ns, late_ns, self.port))


def follow(segments: Iterable[Segment], server: str, http_ports: frozenset[int], raw_port: int) -> list[Conversation]:
    """Every connection to the server's ports, from its SYN on; those that asked for nothing have no kind."""
    open_now: dict[tuple[int, int], Conversation] = {}
    found = []
    for segment in segments:
        from_client = segment.destination[0] == server
        client, balancer = segment.source, segment.destination
        if not from_client:
            client, balancer = balancer, client
        if balancer[1] not in http_ports and balancer[1] != raw_port:
            continue
        key = client[1], balancer[1]
        if from_client and Flag.SYN in segment.flags:
            open_now[key] = Conversation(client[1], balancer[1] == raw_port)
            found.append(open_now[key])
        if key in open_now:
            open_now[key].hear(segment, from_client=from_client)
    return found


def kind_of(asked: bytes | bytearray) -> str:
    """By the path of the first request, which ends with the kind; of a probe nothing."""
    if asked.startswith(b"PRI"):
        return "h2"
    path = bytes(asked).partition(b" ")[2].partition(b" ")[0].partition(b"?")[0]
    return path.rpartition(b"/")[2].decode()


def take_frames(buffer: bytearray, *, preface: bool = False) -> Iterator[tuple[int, int, int, bytes]]:
    """Type, flags, stream and payload of each whole frame of HTTP/2, which is taken out."""
    if preface and buffer.startswith(PREFACE):
        del buffer[: len(PREFACE)]
    while len(buffer) >= 9 and len(buffer) >= (size := 9 + int.from_bytes(buffer[:3])):
        yield buffer[3], buffer[4], int.from_bytes(buffer[5:9]) & 0x7FFFFFFF, bytes(buffer[9:size])
        del buffer[:size]


def take_answer(buffer: bytearray) -> int:
    """The status of a whole answer of HTTP/1.1, which is taken out; 0: it is not whole. Each has a length."""
    head, blank, rest = bytes(buffer).partition(b"\r\n\r\n")
    if not blank:
        return 0
    first, *lines = head.decode("latin-1").lower().split("\r\n")
    fields = dict(line.split(": ", 1) for line in lines)
    length = int(fields["content-length"])
    if len(rest) < length:
        return 0
    del buffer[: len(head) + 4 + length]
    return int(first.split(" ")[1])
