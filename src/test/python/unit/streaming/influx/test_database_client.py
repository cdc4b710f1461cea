"""A database that is away, or is none: one line that says what is wrong, whatever the libraries below say."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from support.ports import closed_port
from switchover.cli.main import main
from switchover.streaming.influx import database_client

Serve = Callable[[socket.socket], None]


@contextmanager
def listening(serve: Serve) -> Iterator[int]:
    """Each connection is served once, and closed."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    serve(connection)

        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def answers(status: str, body: str) -> Serve:
    def serve(connection: socket.socket) -> None:
        connection.recv(65536)
        head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        connection.sendall((head + body).encode())

    return serve


def says_nothing(connection: socket.socket) -> None:
    while connection.recv(65536):
        """Until the client goes."""


def reset(connection: socket.socket) -> None:
    connection.recv(1)


@pytest.mark.parametrize(
    ("serve", "why"),
    [
        (answers("200 OK", "<html>a proxy</html>"), "it does not answer as InfluxDB does"),
        (answers("200 OK", "{}"), "it does not answer as InfluxDB does"),
        (answers("200 OK", '{"results": [{"error": "database not found: x"}]}'), "database not found: x"),
        (answers("503 Busy", ""), "503: Busy"),
        (answers("401 No", '{"error": "authorization failed"}'), "401: authorization failed"),
        (reset, "Connection reset by peer"),
        (says_nothing, "no answer within 1 s"),
    ],
)
def test_what_a_server_says_instead_is_one_line(
    serve: Serve, why: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_client, "TIMEOUT_MS", (20_000, 600 if serve is says_nothing else 20_000))
    with listening(serve) as port:
        assert main(["influx", "runs", "--influx", f"http://127.0.0.1:{port}?db=x"]) == 2
    assert capsys.readouterr().err == f"switchover: http://127.0.0.1:{port}?db=x: asking it: {why}\n"


def test_a_server_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with closed_port() as port:
        address = f"http://127.0.0.1:{port}?db=x"
        assert main(["influx", "runs", "--influx", address]) == 2
    assert capsys.readouterr().err == f"switchover: {address}: asking it: Connection refused\n"


def test_a_host_that_has_no_address_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["influx", "runs", "--influx", "http://no-such-host.invalid:1?db=x"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("switchover: http://no-such-host.invalid:1?db=x: asking it: ")
    assert said.count("\n") == 1 and "HTTPConnection" not in said
