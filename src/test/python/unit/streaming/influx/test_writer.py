"""One batch, posted: the request as databases expect it, and an answer whatever comes back."""

import base64
import contextlib
import http.client
import socket
import ssl
import threading
from collections.abc import Iterator

import pytest

from support.fake_influx import FakeInflux, Reply, answers, fake_influx, hangs
from support.ports import closed_port
from support.waiting import wait_for
from switchover import __version__
from switchover.model.errors import TelemetryError
from switchover.streaming.influx.destination import Credentials, Database, parse_destination
from switchover.streaming.influx.writer import (
    BODY_LIMIT,
    NO_POINTS,
    Meaning,
    Writer,
    WriteResult,
    _reason,
    try_database,
)

PATIENCE_S = 60.0
LINE = b"m,run=r v=1i 1700000000000000000\n"


@pytest.mark.parametrize(
    ("query", "credentials", "path", "authorization"),
    [
        ("db=d", {}, "/write?db=d&precision=ns", None),
        ("db=d", {"user": "me", "password": "pä:ss"}, "/write?db=d&precision=ns", "Basic bWU6cMOkOnNz"),
        ("db=d", {"token": "t0ken"}, "/write?db=d&precision=ns", "Token t0ken"),
        ("org=o&bucket=b", {"token": "t0ken"}, "/api/v2/write?org=o&bucket=b&precision=ns", "Token t0ken"),
        ("bucket=b", {"user": "me", "password": "pass"}, "/api/v2/write?bucket=b&precision=ns", "Token me:pass"),
    ],
)
def test_it_asks_as_each_version_expects(
    query: str, credentials: dict[str, str], path: str, authorization: str | None
) -> None:
    with fake_influx() as influx:
        writer = Writer(influx.database(query, **credentials))
        assert writer.post(LINE * 2).meaning is Meaning.TAKEN
        writer.close()
        asked, headers = influx.requests[0]
    assert (asked, headers.get("Authorization")) == (path, authorization)
    assert headers["Content-Encoding"] == "gzip"
    assert (headers["Content-Type"], headers["Accept"]) == ("text/plain; charset=utf-8", "application/json")
    assert headers["User-Agent"] == f"switchover/{__version__}"
    assert influx.batches == [2]


def test_connections_are_kept_and_a_closed_one_costs_nothing() -> None:
    with fake_influx() as influx:
        writer = Writer(influx.database())
        assert writer.post(LINE).meaning is Meaning.TAKEN
        assert writer._client._socket is not None
        before = writer._client._socket.getsockname()
        assert writer.post(LINE).meaning is Meaning.TAKEN
        assert writer._client._socket.getsockname() == before
        writer._client._socket.shutdown(socket.SHUT_RDWR)
        assert writer.post(LINE).meaning is Meaning.TAKEN
        writer.close()
        assert influx.batches == [1, 1, 1]


def test_a_redirect_is_not_followed() -> None:
    with fake_influx() as elsewhere, fake_influx(answers(307, Location=elsewhere.url())) as influx:
        writer = Writer(influx.database(token="t0ken"))
        answer = writer.post(LINE)
        writer.close()
    assert answer.meaning is Meaning.WAIT
    assert "elsewhere" in answer.why
    assert not elsewhere.requests


def test_a_secret_that_comes_back_is_not_repeated() -> None:
    def echo(influx: FakeInflux, _lines: bytes) -> Reply:
        return Reply(400, b"no: " + influx.requests[-1][1]["Authorization"].encode() + b" of me s3cret")

    with fake_influx(echo) as influx:
        writer = Writer(influx.database(user="me", password="s3cret"))
        answer = writer.post(LINE)
        writer.close()
    assert answer.why == "400: no: Basic *** of me ***"


@pytest.mark.parametrize(("token", "password"), [("s3", "s3cret"), ("z3", "az3b")])
def test_of_two_secrets_one_of_which_holds_the_other_nothing_is_left(token: str, password: str) -> None:
    with fake_influx(answers(400, f"no: {token} and {password}".encode())) as influx:
        writer = Writer(influx.database("bucket=b", token=token, user="me", password=password))
        assert writer.post(LINE).why == "400: no: *** and ***"
        writer.close()


def test_without_a_password_nothing_of_an_answer_is_hidden() -> None:
    empty = base64.b64encode(b":")
    with fake_influx(answers(400, b"no: " + empty)) as influx:
        writer = Writer(influx.database("bucket=b", token="t0ken"))
        assert writer.post(LINE).why == f"400: no: {empty.decode()}"
        writer.close()


def test_when_to_come_again_and_where_else_it_is_are_heard() -> None:
    with fake_influx(answers(503, Retry_After="7")) as influx:
        writer = Writer(influx.database())
        assert (writer.post(LINE).retry_after_s, writer.post(LINE).why) == (7.0, "503")
        influx.behaviour = answers(302, Location="http://login/?to=here")
        assert writer.post(LINE).why == "302: elsewhere: http://login/"
        writer.close()


def test_of_a_long_answer_no_more_than_its_beginning_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def note(_status: int, body: bytes, **_: object) -> WriteResult:
        read.append(len(body))
        return WriteResult(Meaning.WAIT)

    monkeypatch.setattr("switchover.streaming.influx.writer.read_write_result", note)
    with fake_influx(answers(500, b"x" * 1_000_000)) as influx:
        writer = Writer(influx.database())
        writer.post(LINE)
        writer.close()
    assert read == [BODY_LIMIT + 1]


def test_a_hanging_server_costs_no_more_than_the_time_out() -> None:
    with fake_influx(hangs) as influx:
        writer = Writer(influx.database(), timeout_s=0.2)
        assert writer.post(LINE).why == "no answer in time"
        influx.behaviour = None
        writer._timeout_s = PATIENCE_S
        assert writer.post(LINE).meaning is Meaning.TAKEN
        writer.close()


def test_a_server_that_hangs_is_not_asked_again_at_once_though_its_connection_was_kept() -> None:
    with fake_influx() as influx:
        writer = Writer(influx.database(), timeout_s=PATIENCE_S)
        assert writer.post(LINE).meaning is Meaning.TAKEN
        influx.behaviour = hangs
        writer._timeout_s = 0.2
        assert writer.post(LINE).why == "no answer in time"
        writer.close()
        wait_for(lambda: len(influx.requests) >= 2)
        assert len(influx.requests) == 2


def test_a_database_that_takes_no_connection_is_away_long_before_an_answer_is_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("switchover.streaming.influx.writer.CONNECT_S", 0.1)
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full, socket.create_connection(full.getsockname()):
        database = Database(parse_destination(f"http://127.0.0.1:{full.getsockname()[1]}?db=d"), Credentials())
        assert Writer(database, timeout_s=600.0).post(LINE).why == "no answer in time"


@contextlib.contextmanager
def served(answer: bytes, *, dripping: bool = False, accepted: list[object] | None = None) -> Iterator[Database]:
    """A server that says just this to each connection; or that over and over again, a byte at a time."""
    over = threading.Event()

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, peer = listener.accept()
                if accepted is not None:
                    accepted.append(peer)
                with connection, contextlib.suppress(OSError):
                    connection.recv(65536)
                    connection.sendall(answer)
                    while dripping and not over.wait(0.02):
                        connection.sendall(b"x")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield Database(
                parse_destination(f"http://127.0.0.1:{listener.getsockname()[1]}?db=d"), Credentials(token="t0ken")
            )
        finally:
            over.set()
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def test_a_server_that_never_ends_its_answer_is_cut_off() -> None:
    with served(b"HTTP/1.1 200 OK\r\nX-Long: ", dripping=True) as database:
        writer = Writer(database, timeout_s=0.3)
        assert writer.post(LINE).why == "no answer in time"
        writer.close()


@pytest.mark.parametrize(
    "answer",
    [b"", b"SSH-2.0-OpenSSH_9\r\n", b"HTTP/1.1 abc\r\n\r\n", b"HTTP/1.1 204 No Content\r\n" + b"A: b\r\n" * 200],
)
def test_what_is_no_http_is_waited_out(answer: bytes) -> None:
    with served(answer) as database:
        writer = Writer(database, timeout_s=5.0)
        found = writer.post(LINE)
        writer.close()
    assert found.meaning is Meaning.WAIT
    assert found.why


def test_a_new_connection_that_breaks_is_not_tried_again_at_once() -> None:
    accepted: list[object] = []
    with served(b"", accepted=accepted) as database:
        writer = Writer(database, timeout_s=5.0)
        assert writer.post(LINE).meaning is Meaning.WAIT
        writer.close()
        assert len(accepted) == 1
        assert Writer(database, timeout_s=5.0).post(LINE).meaning is Meaning.WAIT
    assert len(accepted) == 2


def test_nobody_there_is_an_answer_too() -> None:
    with closed_port() as port:
        database = Database(parse_destination(f"http://127.0.0.1:{port}?db=d"), Credentials())
        answer = Writer(database).post(LINE)
    assert (answer.meaning, answer.why) == (Meaning.WAIT, "Connection refused")


def test_a_stop_ends_what_is_under_way() -> None:
    with fake_influx(hangs) as influx:
        writer = Writer(influx.database(), timeout_s=30.0)
        timer = threading.Timer(0.1, writer.stop)
        timer.start()
        assert writer.post(LINE).why == "no answer before the end"
        assert writer.post(LINE).why == "no answer before the end"
        timer.join()
        writer.close()


def test_secrets_are_not_shown() -> None:
    database = Database(parse_destination("http://influx:8086?db=d"), Credentials("t0ken", "me", "s3cret"))
    assert "t0ken" not in repr(database)
    assert "s3cret" not in repr(database)


def invalid() -> Exception:
    error = ssl.SSLCertVerificationError(1, "certificate verify failed")
    error.verify_message = "self-signed certificate"
    return error


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (TimeoutError(), "no answer in time"),
        (invalid(), "its certificate is not trusted: self-signed certificate"),
        (ConnectionRefusedError(111, "Connection refused"), "Connection refused"),
        (OSError("no number"), "no number"),
        (http.client.BadStatusLine("odd"), "odd"),
        (http.client.HTTPException(), "HTTPException"),
        (ValueError("x" * 300), "x" * 199 + "…"),
    ],
)
def test_why_a_batch_did_not_go_is_one_short_line(error: Exception, why: str) -> None:
    assert _reason(error) == why


def test_a_database_is_tried_with_a_batch_of_nothing() -> None:
    tried: list[bytes] = []
    with fake_influx(lambda _, lines: tried.append(lines)) as influx:
        to = influx.database()
        assert try_database(to) == f"{to.destination.url} takes points"
        influx.behaviour = answers(400, f'{{"message": "{NO_POINTS}"}}'.encode())
        assert try_database(to) == f"{to.destination.url} takes points"
        influx.behaviour = answers(401, b'{"message": "unauthorized access"}')
        with pytest.raises(TelemetryError) as caught:
            try_database(to)
    assert tried == [b""]
    assert str(caught.value) == f"{to.destination.url} takes no points: 401: unauthorized access"
    assert try_database(None) == "none is named"
