"""What `BalancerHttpUser` says of servers that misbehave, against what these have seen."""

from typing import Any

import pytest

from support.balancer_client import BalancerClient
from support.misbehaving import MisbehavingServer
from switchover.model.failure_kind import FailureKind

RESET, TRUNCATED, PROTOCOL = FailureKind.RESET, FailureKind.TRUNCATED, FailureKind.PROTOCOL
READ_TIMEOUT = FailureKind.READ_TIMEOUT

GET = """
    client = user(host=url, timeout_connect=connect_s, timeout_read=read_s, insecure=True).client
    result = [told(client.get("/")) for _ in range(times)]
"""


def get(
    client: BalancerClient, url: str, times: int = 1, connect_s: float = 10.0, read_s: float = 10.0
) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.run(
        GET, url=url.rstrip("/"), times=times, connect_s=connect_s, read_s=read_s
    )
    return found


@pytest.mark.parametrize(
    ("behaviour", "kind", "status"),
    [
        ("fin_on_accept", TRUNCATED, 0),
        ("rst_after_request", RESET, 0),
        ("fin_after_request", TRUNCATED, 0),
        ("fin_in_status_line", TRUNCATED, 0),
        ("fin_in_headers", TRUNCATED, 0),
        ("fin_between_headers", TRUNCATED, 0),
        ("rst_in_headers", RESET, 0),
        ("fin_in_body", TRUNCATED, 200),
        ("rst_in_body", RESET, 200),
        ("fin_in_chunks", TRUNCATED, 200),
        ("fin_in_a_chunk", TRUNCATED, 200),
        ("garbage_chunk", PROTOCOL, 200),
        ("garbage", PROTOCOL, 0),
        ("huge_headers", PROTOCOL, 0),
        ("tls_rst_after_request", RESET, 0),
        ("tls_fin_in_headers", TRUNCATED, 0),
        ("tls_fin_in_body", TRUNCATED, 200),
    ],
)
def test_a_request_that_the_server_saw_once_was_sent_once_and_failed_by_its_kind(
    client: BalancerClient, server: MisbehavingServer, behaviour: str, kind: FailureKind, status: int
) -> None:
    (found,) = get(client, server.url(behaviour))
    assert (found["kind"], found["status"]) == (kind, status), found["error"]
    assert found["attempts"] == 1
    assert found["stream"] == "fresh"
    if status:
        assert found["headers"].get("X-Backend", "web1") == "web1"
    seen = server.wait(behaviour, lambda seen: seen.ended == 1 and seen.requests > 0)
    assert (seen.connections, seen.requests, seen.nbytes) == (1, 1, found["sent_bytes"])


def test_a_body_that_drips_is_waited_for_until_the_deadline(
    client: BalancerClient, server: MisbehavingServer
) -> None:
    (found,) = get(client, server.url("slow_body"))
    assert (found["kind"], found["text"]) == (None, "hello")
    assert found["end_us"] - found["start_us"] - found["latency_us"] >= 60_000
    (found,) = get(client, server.url("slow_body"), read_s=0.05)
    assert found["kind"] == READ_TIMEOUT


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [("kept_rst", RESET), ("kept_fin", TRUNCATED), ("kept_silent", READ_TIMEOUT), ("tls_kept_rst", RESET)],
)
def test_a_kept_connection_that_fails_is_a_failure_and_nothing_is_sent_again(
    client: BalancerClient, server: MisbehavingServer, behaviour: str, kind: FailureKind
) -> None:
    read_s = 3.0 if kind == READ_TIMEOUT else 30.0
    first, second = get(client, server.url(behaviour), times=2, read_s=read_s)
    assert (first["kind"], first["stream"], first["attempts"]) == (None, "fresh", 1)
    assert (second["kind"], second["stream"], second["attempts"]) == (kind, "kept", 1)
    assert second["connect_us"] == 0
    seen = server.wait(behaviour, lambda seen: seen.ended == 1)
    assert (seen.connections, seen.requests) == (1, 2)


@pytest.mark.parametrize("behaviour", ["idle_fin", "idle_rst", "tls_idle_fin"])
def test_a_kept_connection_that_was_closed_while_idle_is_replaced_and_called_fresh(
    client: BalancerClient, server: MisbehavingServer, behaviour: str
) -> None:
    # The server has closed when its count says so; the client is not told until then.
    code = """
        import urllib.request
        client = user(host=url, insecure=True).client
        first = told(client.get("/"))
        while not json.load(urllib.request.urlopen(counts))[behaviour]["ended"]:
            time.sleep(0.01)
        result = [first, told(client.get("/"))]
    """
    before = server.seen(behaviour)
    url = server.url(behaviour).rstrip("/")
    first, second = client.run(code, url=url, counts=server.counts_url, behaviour=behaviour)
    assert [(found["kind"], found["stream"], found["attempts"]) for found in (first, second)] == [
        (None, "fresh", 1)
    ] * 2
    assert second["connect_us"] > 0
    seen = server.wait(behaviour, lambda seen: seen.ended == 2)
    assert (seen.connections - before.connections, seen.requests - before.requests) == (2, 2)


def test_a_certificate_of_nobody_is_a_tls_failure_unless_it_is_trusted(
    client: BalancerClient, server: MisbehavingServer
) -> None:
    code = (
        "result = [told(user(host=url, **trust).client.get('/')) for trust in ({}, {'ca': ca}, {'insecure': True})]"
    )
    url = server.url("tls_site").rstrip("/")
    strict, valid, careless = client.run(code, url=url, ca=server.certificate)
    assert (strict["kind"], strict["attempts"]) == (FailureKind.TLS, 0)
    assert strict["error"].startswith("tls: certificate not accepted")
    assert [found["text"] for found in (valid, careless)] == ["hello", "hello"]
    assert 0 < valid["connect_us"] <= valid["latency_us"] <= valid["end_us"] - valid["start_us"]


def test_a_status_of_400_and_above_is_an_error_and_the_answer_is_there(
    client: BalancerClient, server: MisbehavingServer
) -> None:
    code = """
        from switchover.locust.recording.failures import kind_of
        client = user(host=url).client
        responses = [client.get(f"/status/{status}") for status in (200, 304, 404, 503)]
        result = [told(response) for response in responses], [kind_of(one.error, one) for one in responses[2:]]
    """
    found, kinds = client.run(code, url=server.url("site").rstrip("/"))
    assert [one["status"] for one in found] == [200, 304, 404, 503]
    assert [one["error"] for one in found] == [None, None, "status: 404", "status: 503"]
    assert [one["stream"] for one in found] == ["fresh", "kept", "kept", "kept"]
    # It is the event's exception that says so to the recorder: the test may see a status otherwise.
    assert [one["kind"] for one in found] == [None] * 4
    assert kinds == ["status", "status"]


def test_every_failure_is_an_event_that_groups_with_its_like(
    client: BalancerClient, server: MisbehavingServer
) -> None:
    code = """
        for url, read_s in asked * 2:
            user(host=url, timeout_read=read_s).client.get("/", name="page")
        result = events
    """
    behaviours = {"fin_in_body": 30.0, "garbage": 30.0, "read_timeout": 0.2, "refused": 30.0}
    found = client.run(code, asked=[(server.url(name).rstrip("/"), read_s) for name, read_s in behaviours.items()])
    assert len(found) == 8
    assert {event["name"] for event in found} == {"page"}
    assert [event["exception"] for event in found[:4]] == [event["exception"] for event in found[4:]]
    assert [event["exception"].partition(":")[0] for event in found[:4]] == [
        "truncated", "protocol", "read_timeout", "refused",
    ]  # fmt: skip
