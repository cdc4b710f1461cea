"""What a probe is recorded as, over TCP and TLS, for each way in which a server can misbehave."""

import contextlib
import errno
import socket
import ssl
import struct
import threading
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import NoReturn

import pytest

from support.certificate import write_certificate
from support.journals import read_journal
from support.ports import closed_port, own_address
from support.prober import PATIENCE_S, Bench, probe_once, resets, resets_after_request, spec_of
from support.servers import Behaviour, answers, answers_page, drips, pours, stays_silent, tcp_server
from switchover.model.failure_kind import FailureKind
from switchover.prober import records as records_module
from switchover.prober.records import Records
from switchover.rundir.measurements import CERTIFICATE_EVENT, EVENT


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


PAGE = b"HTTP/1.1 200 OK\r\nX-Backend: web1\r\nContent-Length: 200000\r\n\r\n" + b"x" * 200_000


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    return write_certificate(tmp_path)


def secured(certificate: Path, behave: Behaviour, names: list[str | None] | None = None) -> Behaviour:
    """The same behaviour behind TLS; `names` takes the server names that clients asked for."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_name("key.pem"))
    if names is not None:
        context.sni_callback = lambda _socket, name, _context: names.append(name)

    def serve(connection: socket.socket, over: threading.Event) -> None:
        with contextlib.suppress(OSError), context.wrap_socket(connection, server_side=True) as inner:
            behave(inner, over)

    return serve


def test_a_page_over_tls_is_read_whole(certificate: Path) -> None:
    names: list[str | None] = []
    with tcp_server(secured(certificate, answers(PAGE), names)) as port:
        probe = probe_once(f"https://127.0.0.1:{port}/", endpoint={"ca": certificate, "sni": "localhost"})
    assert probe.error is None, probe.message
    assert probe.answer.nbytes == len(PAGE)
    assert names == ["localhost"]
    assert probe.start_ns < probe.connected_ns < probe.sent_ns < probe.first_ns <= probe.end_ns


def test_an_unknown_certificate_is_a_tls_failure_unless_insecure(certificate: Path) -> None:
    with tcp_server(secured(certificate, answers(PAGE))) as port:
        strict = probe_once(f"https://127.0.0.1:{port}/")
        lenient = probe_once(f"https://127.0.0.1:{port}/", endpoint={"insecure": True})
    assert strict.error is FailureKind.TLS
    assert strict.sent_bytes == 0
    assert lenient.error is None


def test_a_server_that_speaks_no_tls_is_a_tls_failure() -> None:
    with tcp_server(answers(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as port:
        assert probe_once(f"https://127.0.0.1:{port}/").error is FailureKind.TLS


def test_a_silent_handshake_is_a_connect_timeout() -> None:
    with tcp_server(stays_silent) as port:
        probe = probe_once(f"https://127.0.0.1:{port}/", timeout_connect_s=0.2)
    assert probe.error is FailureKind.CONNECT_TIMEOUT
    assert probe.end_ns - probe.start_ns >= 200_000_000


def test_an_end_in_mid_body_without_close_notify_is_truncated(certificate: Path) -> None:
    def leaves(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(65536)
        connection.sendall(PAGE[:1000])
        connection.shutdown(socket.SHUT_WR)
        connection.detach()

    with tcp_server(secured(certificate, leaves)) as port:
        probe = probe_once(f"https://127.0.0.1:{port}/", endpoint={"insecure": True})
    assert probe.error is FailureKind.TRUNCATED
    assert probe.answer.nbytes == 1000


def test_kept_probes_shake_hands_once(certificate: Path) -> None:
    hands: list[str | None] = []

    def answers_all(connection: socket.socket, over: threading.Event) -> None:
        while connection.recv(65536):
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    with (
        tcp_server(secured(certificate, answers_all, hands)) as port,
        Bench(spec_of(f"https://127.0.0.1:{port}/", endpoint={"ca": certificate, "sni": "localhost"})) as bench,
    ):
        for _ in range(3):
            assert bench.probe(keep=True).error is None
    assert hands == ["localhost"]


def test_the_certificate_of_each_new_connection_is_told(certificate: Path) -> None:
    with tcp_server(secured(certificate, answers(PAGE))) as port:
        spec = spec_of(f"https://127.0.0.1:{port}/", endpoint={"ca": certificate})
        with Bench(spec) as bench:
            bench.probe()
            bench.probe()
            assert bench.shown == [ssl.PEM_cert_to_DER_cert(certificate.read_text())] * 2


def test_another_certificate_than_before_is_an_event_and_the_same_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records_module, "monotonic_ns", lambda: 7_000_000_000)
    records = Records(spec_of("https://127.0.0.1/", tmp_path), 0)
    for shown in (b"first", b"first", b"second"):  # the second at the same moment: it is told where it is still there
        records.note_certificate(shown)
    records.close()
    (event,) = read_journal([tmp_path / "journal.lp"])
    assert (event.measurement, event.tags["kind"], event.tags["run"]) == (EVENT, CERTIFICATE_EVENT, "test")
    assert event.tags["id"] == sha256(b"first").hexdigest()[:16]
