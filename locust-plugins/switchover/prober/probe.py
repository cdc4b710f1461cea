"""One probe and the connection it goes over: plain records that `sockets.py` fills in."""

import socket

from switchover.http.answer import CountedAnswer
from switchover.http.head import AnswerHead
from switchover.model.failure_kind import FailureKind
from switchover.prober.account import ProbeStream


class SentProbe:
    """One request, from its due time to its end. Times in ns of the monotonic clock, 0: not come to that."""

    __slots__ = (
        "answer",
        "connected_ns",
        "connection",
        "deadline_ns",
        "due_ns",
        "end_ns",
        "error",
        "first_ns",
        "message",
        "sent_bytes",
        "sent_ns",
        "start_ns",
        "stream",
    )

    def __init__(self, stream: ProbeStream, due_ns: int, start_ns: int, answer: CountedAnswer[AnswerHead]) -> None:
        self.stream = stream
        self.due_ns = due_ns
        self.start_ns = start_ns
        """When connect was called; on a kept connection, when the request was sent."""
        self.connected_ns = 0
        """With TLS, the end of the handshake; on a kept connection the start."""
        self.sent_ns = 0
        self.first_ns = 0
        """The first byte of the answer."""
        self.end_ns = 0
        self.deadline_ns = 0
        self.sent_bytes = 0
        self.answer = answer
        self.error: FailureKind | None = None
        self.message = ""
        self.connection: ProbeConnection | None = None
        """Cleared at the end: probe and connection refer to each other, and nothing collects cycles here."""


class ProbeConnection:
    """A socket, and whose turn it is on it."""

    __slots__ = ("fd", "keep", "probe", "secured", "sock", "watched", "wrapped")

    def __init__(self, sock: socket.SocketType, *, keep: bool, probe: SentProbe) -> None:
        self.sock = sock
        self.fd = sock.fileno()
        self.keep = keep
        self.probe: SentProbe | None = probe
        """None while a kept connection is idle."""
        self.watched = 0
        """The epoll events that are registered."""
        self.wrapped = False
        """TLS has taken over."""
        self.secured = False
        """Its handshake is done."""
