"""One exchange has one deadline, whatever the server does."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from support.servers import ENDLESS_HEAD, after_head, drips, tcp_server
from switchover.http.exchange import HttpAnswer, HttpClient

SHORT_S, LONG_S = 0.3, 60.0
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Balancer: lb1\r\n\r\nhi"


@contextmanager
def server(*answers: bytes) -> Iterator[int]:
    """Gives each answer to one request, all on one connection, and closes that."""

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            for answer in answers:
                connection.recv(65536)
                connection.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        thread.join()


def get(client: HttpClient, timeout_s: float = LONG_S, limit_bytes: int | None = 1000) -> HttpAnswer:
    return client.exchange("GET", "/", {}, timeout_s=timeout_s, limit_bytes=limit_bytes)


def test_the_answer_is_status_headers_and_body_and_the_connection_is_kept() -> None:
    with server(OK, OK) as port:
        client = HttpClient("http", "127.0.0.1", port)
        for _ in range(2):
            answer = get(client)
            assert (answer.status, answer.headers["X-Balancer"], answer.body, answer.missing) == (
                200,
                "lb1",
                b"hi",
                0,
            )
            assert client.is_connected
        client.close()
        assert not client.is_connected


@pytest.mark.parametrize(
    "head", [b"", b"HTTP/1.1 200 OK\r\nX-Long: ", ENDLESS_HEAD], ids=["no status", "headers", "body"]
)
def test_a_server_that_drips_is_given_up_in_time(head: bytes) -> None:
    with tcp_server(after_head(drips, head)) as port, pytest.raises(TimeoutError):
        get(HttpClient("http", "127.0.0.1", port), SHORT_S, 1_000_000)


def test_a_server_that_reads_nothing_is_given_up_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, pytest.raises(TimeoutError):
        client = HttpClient("http", "127.0.0.1", listener.getsockname()[1])
        client.exchange("POST", "/", {}, bytes(64 * 1024 * 1024), timeout_s=SHORT_S, limit_bytes=1000)


def test_another_thread_ends_it() -> None:
    with tcp_server(after_head(drips)) as port:
        client = HttpClient("http", "127.0.0.1", port)
        ending = threading.Timer(SHORT_S, client.stop)
        ending.start()
        with pytest.raises(OSError):
            get(client, limit_bytes=1_000_000)
        with pytest.raises(ConnectionAbortedError):
            get(client)


def test_a_body_that_is_too_long_is_not_read_to_its_end() -> None:
    with tcp_server(after_head(drips, ENDLESS_HEAD + bytes(5000))) as port:
        answer = get(HttpClient("http", "127.0.0.1", port))
    assert len(answer.body) == 1001


def test_what_was_cut_off_is_told() -> None:
    with server(OK.replace(b"Length: 2", b"Length: 9")) as port:
        assert get(HttpClient("http", "127.0.0.1", port)).missing == 7
