"""What a database is asked for, and what is made of its answers. The real servers are in integration."""

import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from urllib3.exceptions import ConnectTimeoutError, HTTPError, MaxRetryError, ReadTimeoutError

from switchover.model.errors import DatabaseError
from switchover.streaming.influx.database_client import (
    DatabaseClient,
    StoredSeries,
    Tokens,
    _why,
    quoted,
    text,
)
from switchover.streaming.influx.destination import Credentials, Database, parse_destination

ORG = "0123456789abcdef"
"""As InfluxDB writes an identifier; a name would have to be looked up."""
NONE_OF_INFLUXDB = "query failed: the answer is not from InfluxDB"
BUCKET = {"id": "b1", "orgID": ORG, "name": "drills", "type": "user"}


@dataclass
class Request:
    what: str
    """Method and path."""
    query: dict[str, str]
    headers: Mapping[str, str]
    body: Any


@dataclass
class Server:
    """Answers as it is told to, by method and path, each answer once and the last one for ever."""

    port: int = 0
    answers: dict[str, list[tuple[int, Any]]] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)

    def client(self, query: str, credentials: Credentials = Credentials("t0ken")) -> DatabaseClient:  # noqa: B008
        return DatabaseClient(Database(parse_destination(f"http://127.0.0.1:{self.port}{query}"), credentials))

    def say(self, what: str, *answers: Any, status: int = 200) -> None:
        self.answers[what] = [(status, answer) for answer in answers]

    @property
    def asked(self) -> list[str]:
        """The queries, in InfluxQL."""
        return [request.query["q"] for request in self.requests]


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            parts, length = urlsplit(self.path), int(self.headers.get("Content-Length") or 0)
            what, sent = f"{self.command} {parts.path}", self.rfile.read(length)
            query = dict(parse_qsl(parts.query))
            found.requests.append(Request(what, query, dict(self.headers), json.loads(sent) if sent else None))
            answers = found.answers[what]
            status, answer = answers.pop(0) if len(answers) > 1 else answers[0]
            body = b"" if answer is None else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("X-Influxdb-Version", "1.8.3")
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield found
        server.shutdown()
        thread.join()


def rows(*columns: str, values: list[list[Any]]) -> dict[str, Any]:
    return {"results": [{"series": [{"columns": list(columns), "values": values}]}]}


def test_a_query_is_of_the_database_and_in_nanoseconds(server: Server) -> None:
    server.say(
        "POST /prefix/query",
        {
            "results": [
                {"series": [{"name": "m", "tags": {"a": "b"}, "columns": ["time", "v"], "values": [[1, 2], [3, 4]]}]},
                {},
                {"series": [{"columns": ["time"]}, {"tags": None, "columns": ["x"], "values": [["y"]]}]},
            ]
        },
    )
    with server.client("/prefix?db=drills") as client:
        assert client.query("SELECT 1") == [
            StoredSeries("m", {"a": "b"}, [{"time": 1, "v": 2}, {"time": 3, "v": 4}]),
            StoredSeries("", {}, []),
            StoredSeries("", {}, [{"x": "y"}]),
        ]
        assert (client.name, client.is_bucket) == ("drills", False)
    assert server.requests[0].query == {"db": "drills", "q": "SELECT 1", "epoch": "ns"}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"results": [{"error": 7}]}, "query failed: 7"),
        (
            {"results": [{"series": [], "partial": True}]},
            "query failed: the answer is incomplete: the server limits rows (max-row-limit)",
        ),
        ({"results": [{"error": "no t0ken of s3cret"}]}, "query failed: no *** of ***"),
        ({"results": [{"series": [{"columns": ["a"], "values": [[1, 2]]}]}]}, NONE_OF_INFLUXDB),
        ({"results": [{"series": [{"values": [[1, 2]]}]}]}, NONE_OF_INFLUXDB),
        ({"results": [[1, 2]]}, NONE_OF_INFLUXDB),
        ({"results": 5}, NONE_OF_INFLUXDB),
        ([], NONE_OF_INFLUXDB),
    ],
)
def test_an_answer_that_is_none_is_one_line_without_secrets(server: Server, answer: Any, said: str) -> None:
    server.say("POST /query", answer)
    known = Credentials("t0ken", "me", "s3cret")
    with server.client("?db=d", known) as client, pytest.raises(DatabaseError) as caught:
        client.query("q")
    assert str(caught.value) == f"{client.url}: {said}"


@pytest.mark.parametrize(
    ("query", "policies", "kept"),
    [
        ("?db=drills", [["autogen", "0s", True]], "for ever"),
        ("?db=drills", [["autogen", "0s", False], ["month", "720h0m0s", True]], "720h0m0s"),
        ("?db=drills&rp=week", [["autogen", "0s", True], ["week", "168h0m0s", False]], "168h0m0s"),
        ("?db=drills&rp=other", [["autogen", "24h0m0s", True], ["week", "168h0m0s", False]], "24h0m0s"),
        ("?db=drills", [], "for ever"),
        ("?db=others", [["autogen", "0s", True]], None),
    ],
)
def test_how_long_a_database_keeps_points(
    server: Server, query: str, policies: list[list[Any]], kept: str | None
) -> None:
    server.say(
        "POST /query",
        rows("name", values=[["_internal"], ["drills"]]),
        rows("name", "duration", "default", values=policies),
    )
    with server.client(query) as client:
        assert client.retention() == kept
    asked = ["SHOW DATABASES", 'SHOW RETENTION POLICIES ON "drills"']
    assert server.asked == (asked if kept else asked[:1])


@pytest.mark.parametrize(
    ("buckets", "kept"),
    [
        ([], None),
        ([{**BUCKET, "retentionRules": []}], "for ever"),
        ([{**BUCKET, "retentionRules": [{"type": "expire", "everySeconds": 0}]}], "for ever"),
        ([{**BUCKET, "retentionRules": [{"type": "expire", "everySeconds": 90_061}]}], "25h1m1s"),
    ],
)
def test_how_long_a_bucket_keeps_points(server: Server, buckets: list[dict[str, Any]], kept: str | None) -> None:
    server.say("GET /api/v2/buckets", {"buckets": buckets})
    with server.client(f"?org={ORG}&bucket=drills") as client:
        assert client.retention() == kept
    assert server.requests[0].query == {"name": "drills"}


@pytest.mark.parametrize(
    ("retention_s", "asked"),
    [(0, 'CREATE DATABASE "drills"'), (3600, 'CREATE DATABASE "drills" WITH DURATION 3600s')],
)
def test_a_database_is_made(server: Server, retention_s: int, asked: str) -> None:
    server.say("POST /query", {"results": []})
    with server.client("?db=drills") as client:
        client.create(retention_s)
    assert server.asked == [asked]


def test_of_two_tokens_one_reads_and_one_writes_and_neither_is_shown(server: Server) -> None:
    server.say("GET /api/v2/buckets", {"buckets": [{**BUCKET, "retentionRules": []}]})
    server.say("POST /api/v2/authorizations", {"token": "r3ad"}, {"token": "wr1te"}, status=201)
    with server.client(f"?org={ORG}&bucket=drills") as client:
        tokens = client.create_tokens()
    assert tokens == Tokens("r3ad", "wr1te") and repr(tokens) == "Tokens(***)"
    resource = {"type": "buckets", "id": "b1", "orgID": ORG}
    for request, action in zip(server.requests[1:], ("read", "write"), strict=True):
        assert request.body["orgID"] == ORG
        assert request.body["permissions"] == [{"action": action, "resource": resource}]
        assert request.body["description"] == f"switchover: {action} drills"


def test_of_a_run_every_point_is_deleted(server: Server) -> None:
    server.say("POST /api/v2/delete", None, status=204)
    server.say("POST /query", {"results": []})
    with server.client(f"?org={ORG}&bucket=drills") as client:
        client.delete_run('a"b')
    with server.client("?db=drills") as client:
        client.delete_run("a'b")
    of_bucket, of_database = server.requests
    assert of_bucket.query == {"org": ORG, "bucket": "drills"}
    assert of_bucket.body["predicate"] == 'run="a\\"b"'
    assert (of_bucket.body["start"], of_bucket.body["stop"]) == ("1970-01-01T00:00:00Z", "2200-01-01T00:00:00Z")
    assert of_database.query["q"] == "DROP SERIES WHERE \"run\" = 'a\\'b'"


def test_names_and_texts_stay_within_their_quotes() -> None:
    assert quoted('a"b\\c\nd') == '"a\\"b\\\\c\\nd"'
    assert text("a'b\\c\nd") == "'a\\'b\\\\c\\nd'"


def of_cause(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


REFUSED = ConnectionRefusedError(111, "Connection refused")


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (REFUSED, "Connection refused"),
        (MaxRetryError(None, "/", REFUSED), "Connection refused"),  # type: ignore[arg-type]
        (HTTPError("Connection aborted.", REFUSED), "Connection refused"),
        (of_cause(HTTPError("x"), REFUSED), "Connection refused"),
        (of_cause(ValueError("x"), MaxRetryError(None, "/", REFUSED)), "Connection refused"),  # type: ignore[arg-type]
        (MaxRetryError(None, "/", ConnectTimeoutError()), "no connection within 10 s"),  # type: ignore[arg-type]
        (MaxRetryError(None, "/", ReadTimeoutError(None, "/", "x")), "no answer within 60 s"),  # type: ignore[arg-type]
        (TimeoutError(), "no answer within 60 s"),
        (ValueError("x"), "the answer is not from InfluxDB"),
        (KeyError("x"), "the answer is not from InfluxDB"),
        (TypeError("x"), "the answer is not from InfluxDB"),
        (OSError("no number"), "no number"),
        (HTTPError("odd"), "odd"),
        (MaxRetryError(None, "/", HTTPError("odd")), "odd"),  # type: ignore[arg-type]
    ],
)
def test_why_it_cannot_be_asked_is_said_without_what_libraries_are_made_of(error: Exception, why: str) -> None:
    assert _why(error) == why
