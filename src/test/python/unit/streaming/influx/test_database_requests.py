"""What a database is asked for, and what is made of its answers. The real servers are in integration."""

import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from urllib3.exceptions import HTTPError, MaxRetryError

from switchover.model.errors import DatabaseError
from switchover.streaming.influx.database_client import DatabaseClient, _why, quoted
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
            {"time": 1, "v": 2},
            {"time": 3, "v": 4},
            {"x": "y"},
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
    assert str(caught.value) == f"{client._to.url}: {said}"


@pytest.mark.parametrize(("name", "exists"), [("drills", True), ("others", False)])
def test_a_database_exists_if_the_server_lists_it(server: Server, name: str, exists: bool) -> None:
    server.say("POST /query", rows("name", values=[["_internal"], ["drills"]]))
    with server.client(f"?db={name}") as client:
        assert client.exists() is exists
    assert server.asked == ["SHOW DATABASES"]


@pytest.mark.parametrize("buckets", [[], [{**BUCKET, "retentionRules": []}]])
def test_a_bucket_exists_if_the_server_finds_it(server: Server, buckets: list[dict[str, Any]]) -> None:
    server.say("GET /api/v2/buckets", {"buckets": buckets})
    with server.client(f"?org={ORG}&bucket=drills") as client:
        assert client.exists() is bool(buckets)
    assert server.requests[0].query == {"name": "drills"}


@pytest.mark.parametrize(
    ("counts", "points"),
    [
        ([{"time": 99, "count_ok": 3, "count_ms": 5}, {"time": 99, "count_text": 2, "count_more": None}], 7),
        ([{"time": 99, "count_text": None}], 0),
        ([], 0),
    ],
)
def test_points_are_counted_by_the_field_that_most_of_them_have(
    server: Server, counts: list[dict[str, Any]], points: int
) -> None:
    series = [{"columns": list(row), "values": [list(row.values())]} for row in counts]
    server.say("POST /query", {"results": [{"series": series}]})
    with server.client("?db=drills") as client:
        assert client.count_points("it's") == points
    assert server.asked == ["SELECT count(*) FROM /^switchover_/ WHERE \"run\" = 'it\\'s'"]


@pytest.mark.parametrize(
    ("retention_s", "asked"),
    [(0, 'CREATE DATABASE "drills"'), (3600, 'CREATE DATABASE "drills" WITH DURATION 3600s')],
)
def test_a_database_is_made(server: Server, retention_s: int, asked: str) -> None:
    server.say("POST /query", {"results": []})
    with server.client("?db=drills") as client:
        client.create(retention_s)
    assert server.asked == [asked]


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
    assert quoted("a'b\\c\nd", "'") == "'a\\'b\\\\c\\nd'"


def of_cause(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


REFUSED = ConnectionRefusedError(111, "Connection refused")


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (ValueError("x"), "the answer is not from InfluxDB"),
        (KeyError("x"), "the answer is not from InfluxDB"),
        (TypeError("x"), "the answer is not from InfluxDB"),
        (OSError("no number"), "no number"),
        (TimeoutError(), "TimeoutError"),
        (HTTPError("odd"), "odd"),
        (MaxRetryError(None, "/", HTTPError("odd")), "odd"),  # type: ignore[arg-type]
    ],
)
def test_the_reason_of_an_error_is_never_empty(error: Exception, why: str) -> None:
    assert _why(error) == why
