import contextlib
import http.client
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.ports import free_port, is_open
from support.waiting import wait_for
from switchover.lab.on_host import app

LINE = re.compile(r'(\d+\.\d{3}) 127\.0\.0\.1 - - \[[^]]+\] "(.*)" 200 (\d+) "-" "-"')


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "access.log"


@pytest.fixture
def port(log: Path) -> Iterator[int]:
    with serving(log, "0", "100", "1", "-") as number:
        yield number


@contextlib.contextmanager
def serving(log: Path, *words: str) -> Iterator[int]:
    """The port of an application, until the end of the block."""
    number = free_port()
    with subprocess.Popen([sys.executable, "-I", "-S", app.__file__, str(number), *words, str(log)]) as process:
        try:
            wait_for(lambda: is_open(number))
            yield number
        finally:
            process.terminate()


def logged(log: Path) -> list[tuple[str, int]]:
    matches = [LINE.fullmatch(line) for line in log.read_text(encoding="utf-8").splitlines()]
    return [(match[2], int(match[3])) for match in matches if match is not None]


def test_a_connection_is_kept_and_every_request_is_logged(port: int, log: Path) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for path in ("/", "/some/path?x=1"):
        connection.request("GET", path)
        answer = connection.getresponse()
        assert (answer.status, len(answer.read())) == (200, 100)
        assert answer.getheader("Connection") == "keep-alive"
    connection.request("POST", "/form", body=b"y" * 200_000)
    assert len(connection.getresponse().read()) == 100
    connection.request("HEAD", "/")
    assert connection.getresponse().read() == b""
    connection.close()
    expected = [("GET / HTTP/1.1", 100), ("GET /some/path?x=1 HTTP/1.1", 100), ("POST /form HTTP/1.1", 100)]
    assert logged(log) == [*expected, ("HEAD / HTTP/1.1", 0)]


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS"])
def test_any_method_is_answered_also_with_a_body_in_chunks(port: int, log: Path, method: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for body in (iter([b"one", b"y" * 100_000]), None):
        connection.request(method, "/cart", body=body, encode_chunked=body is not None)
        answer = connection.getresponse()
        assert (answer.status, len(answer.read())) == (200, 100)
    connection.close()
    assert logged(log) == [(f"{method} /cart HTTP/1.1", 100)] * 2


def test_garbage_ends_the_connection_and_nobody_elses(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as stranger:
        stranger.sendall(b"\x00" * (app.MAX_HEAD + 10_000))
        stranger.settimeout(20)
        with contextlib.suppress(ConnectionResetError):
            assert stranger.recv(1) == b""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/")
    assert connection.getresponse().status == 200
    connection.close()


def test_with_a_service_time_one_request_after_another_is_served(log: Path) -> None:
    with serving(log, "50", "10", "1", "web7") as number:
        connections = [http.client.HTTPConnection("127.0.0.1", number) for _ in range(4)]
        begun = time.monotonic()
        for connection in connections:
            connection.request("GET", "/")
        answers = [connection.getresponse() for connection in connections]
        assert [answer.getheader("X-Backend") for answer in answers] == ["web7"] * 4
        assert time.monotonic() - begun >= 0.2
        assert len(logged(log)) == 4
        for connection in connections:
            connection.close()


def test_health_checks_pass_by_requests_that_wait(log: Path) -> None:
    with serving(log, "3600000", "10", "1", "web7") as number, contextlib.ExitStack() as stack:
        waiting, health = (
            stack.enter_context(contextlib.closing(http.client.HTTPConnection("127.0.0.1", number))) for _ in range(2)
        )
        waiting.request("GET", "/")
        health.request("GET", "/health")
        assert health.getresponse().read() == b"ok"
        assert logged(log) == []
