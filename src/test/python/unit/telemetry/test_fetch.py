"""Every kind of source gives its whole answer, or one line about why not, within its time and size."""

import base64
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.examples import examples
from support.held_fetch import FOREVER_S, fetch
from support.servers import (
    Behaviour,
    after_head,
    answers,
    answers_page,
    drips,
    pours,
    stays_silent,
    tcp_server,
    unix_server,
)
from switchover.model.errors import TelemetryError
from switchover.target.telemetry_sources import HttpPage, TcpSocket, UnixSocket


def test_unix_socket_gives_its_whole_answer(tmp_path: Path) -> None:
    with unix_server(tmp_path / "s", answers(b"a" * 300_000)):
        assert fetch(UnixSocket(str(tmp_path / "s")), b"show info\n") == b"a" * 300_000


def test_the_request_arrives_as_it_was_given() -> None:
    def echo(connection: socket.socket, over: threading.Event) -> None:
        connection.sendall(connection.recv(100))

    with tcp_server(echo) as port:
        assert fetch(TcpSocket("127.0.0.1", port), b"show info;show stat\n") == b"show info;show stat\n"


def test_missing_unix_socket_is_one_line_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(TelemetryError, match=r"unix:.*/nobody cannot be read: No such file"):
        fetch(UnixSocket(str(tmp_path / "nobody")), b"")


@pytest.mark.parametrize(
    ("behave", "limits", "said"),
    [
        (stays_silent, {"timeout_s": 0.2}, r"no complete answer within 0\.2 s"),
        (drips, {"timeout_s": 0.2}, r"no complete answer within 0\.2 s"),
        (pours, {"timeout_s": FOREVER_S, "limit_bytes": 100_000}, "more than 100,000 bytes"),
    ],
)
@pytest.mark.parametrize("is_page", [False, True])
def test_time_and_size_are_bounded_however_the_peer_stretches_them(
    behave: Behaviour, limits: dict[str, Any], said: str, is_page: bool
) -> None:
    with tcp_server(after_head(behave, b"HTTP/1.1 200 OK\r\n\r\n") if is_page else behave) as port:
        source = HttpPage(f"http://127.0.0.1:{port}/") if is_page else TcpSocket("127.0.0.1", port)
        started = time.monotonic()
        with pytest.raises(TelemetryError, match=said):
            fetch(source, None if is_page else b"show info\n", **limits)
        assert time.monotonic() - started < FOREVER_S


def test_page_is_asked_with_the_credentials_of_its_url() -> None:
    seen: list[bytes] = []

    def behave(connection: socket.socket, over: threading.Event) -> None:
        seen.append(connection.recv(65536))
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    with tcp_server(behave) as port:
        assert fetch(HttpPage(f"http://admin:p%40ss:w@127.0.0.1:{port}/stats;csv?x=1")) == b"ok"
    request = seen[0].decode()
    assert request.startswith("GET /stats;csv?x=1 HTTP/1.1\r\n")
    assert f"Host: 127.0.0.1:{port}\r\n" in request
    assert "Authorization: Basic " + base64.b64encode(b"admin:p@ss:w").decode() in request


@pytest.mark.parametrize("status", ["401 Unauthorized", "403 Forbidden"])
def test_wrong_credentials_say_where_to_write_them_and_never_print_them(status: str) -> None:
    with tcp_server(answers_page(b"", status)) as port, pytest.raises(TelemetryError) as caught:
        fetch(HttpPage(f"http://admin:s3cr@t@127.0.0.1:{port}/stats"))
    assert "user:password@host" in str(caught.value)
    assert "s3cr" not in str(caught.value) and "t@127" not in str(caught.value)


def test_any_status_but_200_is_one_line() -> None:
    with tcp_server(answers_page(b"", "302 Found")) as port, pytest.raises(TelemetryError, match="answered 302"):
        fetch(HttpPage(f"http://127.0.0.1:{port}/"))


@pytest.mark.parametrize(
    "framing", ["Content-Length: 100\r\n\r\nhalf", "Transfer-Encoding: chunked\r\n\r\n8\r\nhalf"]
)
def test_page_cut_off_before_its_stated_length_is_no_page(framing: str) -> None:
    cut = f"HTTP/1.1 200 OK\r\n{framing}".encode()
    with tcp_server(answers(cut)) as port, pytest.raises(TelemetryError, match=r"cut off|IncompleteRead"):
        fetch(HttpPage(f"http://127.0.0.1:{port}/"))


@settings(max_examples=examples(60))
@given(st.binary(max_size=2000))
def test_whatever_a_server_sends_is_a_body_or_one_line(garbage: bytes) -> None:
    with tcp_server(answers(garbage)) as port:
        source = HttpPage(f"http://127.0.0.1:{port}/")
        try:
            assert isinstance(fetch(source), bytes)
        except TelemetryError as error:
            assert "\n" not in str(error)
