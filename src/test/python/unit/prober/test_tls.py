"""https probes: certificates, handshakes that fail, and answers over TLS."""

import contextlib
import socket
import ssl
import threading
from hashlib import sha256
from pathlib import Path

import pytest

from support.certificate import write_certificate
from support.journals import read_journal
from support.prober import Bench, probe_once, spec_of
from support.servers import Behaviour, answers, stays_silent, tcp_server
from switchover.model.failure_kind import FailureKind
from switchover.prober import records as records_module
from switchover.prober.records import Records
from switchover.rundir.measurements import CERTIFICATE_EVENT, EVENT

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
