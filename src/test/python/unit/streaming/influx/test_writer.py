"""One batch, posted: the request as databases expect it, and an answer whatever comes back."""

import socket
import threading

import pytest

from support.fake_influx import FakeInflux, Reply, answers, fake_influx, hangs
from switchover import __version__
from switchover.model.errors import TelemetryError
from switchover.streaming.influx.destination import Credentials, Database, parse_destination
from switchover.streaming.influx.writer import (
    BODY_LIMIT,
    NO_POINTS,
    Meaning,
    Writer,
    WriteResult,
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
    assert "redirect to" in answer.why
    assert not elsewhere.requests


def test_a_secret_that_comes_back_is_not_repeated() -> None:
    def echo(influx: FakeInflux, _lines: bytes) -> Reply:
        return Reply(400, b"no: " + influx.requests[-1][1]["Authorization"].encode() + b" of me s3cret")

    with fake_influx(echo) as influx:
        writer = Writer(influx.database(user="me", password="s3cret"))
        answer = writer.post(LINE)
        writer.close()
    assert answer.why == "400: no: Basic *** of me ***"


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


def test_a_database_that_takes_no_connection_is_away_long_before_an_answer_is_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("switchover.streaming.influx.writer.CONNECT_S", 0.1)
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full, socket.create_connection(full.getsockname()):
        database = Database(parse_destination(f"http://127.0.0.1:{full.getsockname()[1]}?db=d"), Credentials())
        assert Writer(database, timeout_s=600.0).post(LINE).why == "no answer in time"


def test_a_stop_ends_what_is_under_way() -> None:
    with fake_influx(hangs) as influx:
        writer = Writer(influx.database(), timeout_s=30.0)
        timer = threading.Timer(0.1, writer.stop)
        timer.start()
        assert writer.post(LINE).why == "no answer before the end of the run"
        assert writer.post(LINE).why == "no answer before the end of the run"
        timer.join()
        writer.close()


def test_a_database_is_tried_with_a_batch_of_nothing() -> None:
    tried: list[bytes] = []
    with fake_influx(lambda _, lines: tried.append(lines)) as influx:
        to = influx.database()
        assert try_database(to) == f"{to.destination.url} accepts points"
        influx.behaviour = answers(400, f'{{"message": "{NO_POINTS}"}}'.encode())
        assert try_database(to) == f"{to.destination.url} accepts points"
        influx.behaviour = answers(401, b'{"message": "unauthorized access"}')
        with pytest.raises(TelemetryError) as caught:
            try_database(to)
    assert tried == [b""]
    assert str(caught.value) == f"{to.destination.url} accepts no points: 401: unauthorized access"
    assert try_database(None) == "no database is named"
