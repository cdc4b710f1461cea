"""What a probe is recorded as, for each way in which a server can misbehave."""

import errno
import socket
import struct
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from support.ports import closed_port, own_address
from support.prober import PATIENCE_S, Bench, probe_once, resets, resets_after_request, spec_of
from support.servers import Behaviour, answers, answers_page, drips, pours, stays_silent, tcp_server
from switchover.model.failure_kind import FailureKind


def closes_after_request(connection: socket.socket, over: threading.Event) -> None:
    connection.recv(65536)


def sends_an_endless_head(connection: socket.socket, over: threading.Event) -> None:
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while not over.is_set():
        connection.sendall(b"X-Filler: " + b"x" * 1000 + b"\r\n")


def answers_late(connection: socket.socket, over: threading.Event) -> None:
    connection.recv(65536)
    over.wait(0.15)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


HALF = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n"
UNAVAILABLE = b"HTTP/1.1 503 Service Unavailable\r\nX-Balancer: lb1\r\nContent-Length: 2\r\n\r\nno"
MEGABYTE_HEADER = b"HTTP/1.1 200 OK\r\nX-Backend: " + b"x" * (1 << 20) + b"\r\nContent-Length: 0\r\n\r\n"


@pytest.mark.parametrize(
    ("behave", "error", "status"),
    [
        pytest.param(resets, FailureKind.RESET, None, id="RST on accept"),
        pytest.param(resets_after_request, FailureKind.RESET, None, id="RST after the request"),
        pytest.param(closes_after_request, FailureKind.TRUNCATED, None, id="FIN after the request"),
        pytest.param(answers(b"HTTP/1.1 200 OK\r\nX-Ba"), FailureKind.TRUNCATED, None, id="FIN in mid-headers"),
        pytest.param(answers(HALF), FailureKind.TRUNCATED, 200, id="FIN in mid-body"),
        pytest.param(answers(CHUNKED[:-3]), FailureKind.TRUNCATED, 200, id="FIN in mid-chunk"),
        pytest.param(answers(b"\x00garbage\r\n\r\n"), FailureKind.PROTOCOL, None, id="garbage"),
        pytest.param(answers(b"\r\n" + HALF), FailureKind.PROTOCOL, None, id="bytes before the status"),
        pytest.param(pours, FailureKind.PROTOCOL, None, id="endless line"),
        pytest.param(drips, FailureKind.PROTOCOL, None, id="drips what is no HTTP"),
        pytest.param(sends_an_endless_head, FailureKind.PROTOCOL, None, id="endless header"),
        pytest.param(answers(MEGABYTE_HEADER), FailureKind.PROTOCOL, None, id="header of 1 MB"),
        pytest.param(stays_silent, FailureKind.READ_TIMEOUT, None, id="no answer"),
        pytest.param(answers(UNAVAILABLE), FailureKind.STATUS, 503, id="503"),
        pytest.param(answers_page(b"hello"), None, 200, id="a page"),
        pytest.param(answers(CHUNKED), None, 200, id="chunked"),
        pytest.param(answers(b"HTTP/1.0 200 OK\r\n\r\nuntil the end"), None, 200, id="until the end"),
        pytest.param(answers_page(b"x" * 3_000_000), None, 200, id="3 MB"),
        pytest.param(answers_late, None, 200, id="slow"),
    ],
)
def test_a_probe_tells_what_became_of_it(behave: Behaviour, error: FailureKind | None, status: int | None) -> None:
    with tcp_server(behave) as port:
        probe = probe_once(
            f"http://127.0.0.1:{port}/", timeout_read_s=0.3 if error is FailureKind.READ_TIMEOUT else 10
        )
    assert probe.error is error, probe.message
    assert (probe.answer.head and probe.answer.head.status) == status
    assert bool(probe.message) is (error is not None)
    # A reset may come before it was seen that the connection stood.
    times = [probe.due_ns, probe.start_ns, probe.connected_ns, probe.sent_ns, probe.end_ns]
    assert (0 not in times) or behave is resets
    assert (reached := [time_ns for time_ns in times if time_ns]) == sorted(reached)
    assert (probe.first_ns == 0) is (probe.answer.nbytes == 0)


@pytest.mark.parametrize("error", [FailureKind.RESET, FailureKind.READ_TIMEOUT])
def test_half_an_answer_keeps_its_status(error: FailureKind) -> None:
    is_read = threading.Event()

    def answers_half(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(65536)
        connection.sendall(HALF)
        is_read.wait(PATIENCE_S)
        if error is FailureKind.RESET:
            resets(connection, over)
        else:
            over.wait()

    with tcp_server(answers_half) as port, Bench(spec_of(f"http://127.0.0.1:{port}/")) as bench:
        bench.send()
        (connection,) = bench.wire.connections.values()
        probe = connection.probe
        assert probe is not None
        bench.pump(lambda: probe.answer.nbytes > 0)
        is_read.set()
        bench.ahead_ns = 0 if error is FailureKind.RESET else 11_000_000_000
        bench.pump(lambda: bool(bench.ended))
    assert probe.error is error and probe.message
    assert probe.answer.head is not None and probe.answer.head.status == 200
    assert 0 < probe.start_ns <= probe.sent_ns <= probe.first_ns <= probe.end_ns


def test_no_timeout_comes_early_and_the_read_timeout_counts_from_the_request() -> None:
    with tcp_server(stays_silent) as port:
        probe = probe_once(f"http://127.0.0.1:{port}/", timeout_read_s=0.2)
    assert probe.end_ns - probe.sent_ns >= 200_000_000


def test_an_answer_that_came_before_the_probe_is_looked_at_is_no_timeout() -> None:
    has_answered = threading.Event()

    def answers_and_tells(connection: socket.socket, over: threading.Event) -> None:
        answers_page(b"hello")(connection, over)
        has_answered.set()

    with tcp_server(answers_and_tells) as port, Bench(spec_of(f"http://127.0.0.1:{port}/")) as bench:
        bench.send()
        # The process was not scheduled for longer than the timeout, while the answer waited in the kernel.
        assert has_answered.wait(PATIENCE_S)
        bench.ahead_ns = 11_000_000_000
        bench.pump(lambda: bool(bench.ended))
    assert bench.ended[0].error is None


@pytest.mark.parametrize(
    ("number", "method"), [(errno.EMFILE, "socket"), (errno.ENFILE, "socket"), (errno.EADDRNOTAVAIL, "connect_ex")]
)
def test_a_limit_of_our_own_is_a_generator_error(number: int, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Limited(socket.SocketType):
        def connect_ex(self, address: object) -> int:
            return number

    def refuse(*_: object) -> NoReturn:
        raise OSError(number, "none left")

    with closed_port() as port, Bench(spec_of(f"http://127.0.0.1:{port}/")) as bench:
        monkeypatch.setattr(socket, "SocketType", refuse if method == "socket" else Limited)
        assert bench.probe().error is FailureKind.GENERATOR
        assert bench.wire.open == 0


def test_a_request_longer_than_the_send_buffer_is_sent_whole() -> None:
    long = {f"X-Long-{number}": "x" * 60_000 for number in range(100)}
    received = []

    def reads_slowly(connection: socket.socket, over: threading.Event) -> None:
        data = b""
        while not data.endswith(b"\r\n\r\n"):
            data += connection.recv(65536)
        received.append(len(data))
        connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")

    with tcp_server(reads_slowly) as port:
        probe = probe_once(f"http://127.0.0.1:{port}/", endpoint={"headers": long})
    assert probe.error is None
    assert probe.sent_bytes == received[0] > 6_000_000


def test_fresh_probes_leave_no_time_wait_behind() -> None:
    address = own_address()
    with tcp_server(answers_page(b"hello"), address) as port, Bench(spec_of(f"http://{address}:{port}/")) as bench:
        for _ in range(50):
            assert bench.probe().error is None
        assert client_states(address) == []


def client_states(address: str) -> list[str]:
    """The states of the sockets here whose remote address this is (proc(5): net/tcp, as the processor has it)."""
    (number,) = struct.unpack("=I", socket.inet_aton(address))
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return [row[3] for row in rows if row[2].startswith(f"{number:08X}:")]


class Counting:
    """Answers each request on a connection by `reply(connection number, request number)`; None closes it."""

    def __init__(self, reply: Callable[[int, int], bytes | None]) -> None:
        self._reply = reply
        self._lock = threading.Lock()
        self.connections = 0

    def __call__(self, connection: socket.socket, over: threading.Event) -> None:
        with self._lock:
            self.connections += 1
            number = self.connections
        request = 0
        connection.settimeout(0.05)
        while not over.is_set():
            try:
                data = connection.recv(65536)
            except TimeoutError:
                continue
            if not data:
                return
            request += 1
            answer = self._reply(number, request)
            if answer is None:
                return
            connection.sendall(answer)


KEPT = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


def test_kept_probes_share_one_connection() -> None:
    server = Counting(lambda _connection, _request: KEPT)
    with tcp_server(server) as port, Bench(spec_of(f"http://127.0.0.1:{port}/")) as bench:
        for _ in range(5):
            probe = bench.probe(keep=True)
            assert probe.error is None
        assert probe.connected_ns == probe.start_ns
    assert server.connections == 1


def test_a_kept_connection_that_broke_is_a_failed_probe_and_the_next_one_is_on_a_new_connection() -> None:
    server = Counting(lambda connection, request: None if (connection, request) == (1, 2) else KEPT)
    with tcp_server(server) as port, Bench(spec_of(f"http://127.0.0.1:{port}/")) as bench:
        errors = [bench.probe(keep=True).error for _ in range(4)]
    assert errors == [None, FailureKind.TRUNCATED, None, None]
    assert server.connections == 2


def test_a_busy_kept_connection_makes_the_next_probe_open_another() -> None:
    def hangs_on_the_first(connection: int, _request: int) -> bytes:
        return b"HTTP/1.1 " if connection == 1 else KEPT

    server = Counting(hangs_on_the_first)
    with tcp_server(server) as port, Bench(spec_of(f"http://127.0.0.1:{port}/")) as bench:
        bench.send(keep=True)
        for _ in range(3):
            assert bench.probe(keep=True).error is None
        bench.ahead_ns = 11_000_000_000
        bench.pump(lambda: not bench.wire.open)
    assert server.connections == 2
    assert bench.ended[-1].error is FailureKind.READ_TIMEOUT
