"""What HttpUser and FastHttpUser record of a server that misbehaves, against what that server saw."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from support.client_cases import case, run_cases
from support.exchange import Seen
from support.misbehaving import MisbehavingServer, misbehaving


@dataclass(frozen=True)
class Row:
    """One kind of server, and what is recorded of the last request that it was sent."""

    behaviour: str
    http: str | None
    fast: str | None
    requests: int = 1


TABLE = (
    Row("refused", "refused", "refused"),
    Row("connect_timeout", "connect_timeout", "connect_timeout"),
    Row("fin_on_accept", "truncated", "truncated"),
    Row("rst_after_request", "reset", "reset"),
    Row("fin_after_request", "truncated", "truncated"),
    Row("read_timeout", "read_timeout", "read_timeout"),
    Row("fin_in_status_line", "truncated", "truncated"),
    Row("fin_in_headers", "truncated", "truncated"),
    Row("fin_between_headers", "truncated", "truncated"),
    Row("rst_in_headers", "reset", "reset"),
    Row("stall_in_headers", "read_timeout", "read_timeout"),
    Row("fin_in_body", "truncated", "truncated"),
    Row("rst_in_body", "reset", "reset"),
    Row("stall_in_body", "read_timeout", "read_timeout"),
    Row("fin_in_chunks", "truncated", "truncated"),
    Row("fin_in_a_chunk", "truncated", "truncated"),
    Row("garbage", "protocol", "protocol"),
    Row("garbage_chunk", "protocol", "protocol"),
    Row("huge_headers", "protocol", None),
    Row("slow_body", None, None),
    Row("kept_rst", "reset", "reset", requests=2),
    Row("kept_fin", "truncated", "truncated", requests=2),
    Row("kept_interim", "protocol", None),
    Row("kept_silent", "read_timeout", "read_timeout", requests=2),
    Row("idle_fin", None, None, requests=2),
    Row("idle_rst", None, None, requests=2),
    Row("tls_fin", "tls", "tls"),
    Row("tls_garbage", "tls", "tls"),
    Row("tls_site", None, None),
    Row("tls_fin_in_headers", "truncated", "truncated"),
    Row("tls_fin_in_body", "truncated", "truncated"),
    Row("tls_idle_fin", None, None, requests=2),
)
ROWS = {row.behaviour: row for row in TABLE}
NEVER_SENT = {"refused", "connect_timeout", "tls"}
HANGS = {"connect_timeout", "read_timeout", "stall_in_headers", "stall_in_body", "kept_silent"}
TIMEOUT_S = 2.0
"""For those that hang; the others have all the time that a busy machine may need."""


@dataclass(frozen=True)
class Told:
    """One user's way through the whole table."""

    user: str
    cases: dict[str, dict[str, Any]]
    seen: dict[str, Seen]

    def kind(self, row: Row) -> str | None:
        return row.http if self.user == "Http" else row.fast

    def events(self, row: Row) -> list[dict[str, Any]]:
        events: list[dict[str, Any]] = self.cases[row.behaviour]["events"]
        return events


@pytest.fixture(scope="module", params=["Http", "Fast"])
def told(request: pytest.FixtureRequest) -> Iterator[Told]:
    user = request.param
    with misbehaving() as server:
        cases = {row.behaviour: _case(row, server, user) for row in TABLE}
        answers = run_cases(cases)
        for row in TABLE:
            if row.behaviour in server.counts():
                expected = sum(event["facts"]["attempts"] for event in answers["cases"][row.behaviour]["events"])
                server.wait(row.behaviour, lambda seen, count=expected: seen.requests >= count)  # type: ignore[misc]
        yield Told(user, answers["cases"], server.counts())


def _case(row: Row, server: MisbehavingServer, user: str) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    attributes: dict[str, Any] = {}
    if user == "Http" and row.behaviour.startswith("tls_"):
        arguments["verify"] = str(server.certificate)
    if row.behaviour in HANGS:
        arguments |= {"timeout": TIMEOUT_S} if user == "Http" else {}
        attributes = {"connection_timeout": TIMEOUT_S, "network_timeout": TIMEOUT_S}
    get = {"get": server.url(row.behaviour), "with": arguments}
    if row.requests == 1:
        return case(user, get, **attributes)
    if "idle" in row.behaviour:
        return case(user, get, {"until": server.counts_url, "of": row.behaviour, "ended": 1}, get, **attributes)
    return case(user, get, get, **attributes)


@pytest.mark.parametrize("name", ROWS)
def test_kind_is_that_of_what_went_wrong(told: Told, name: str) -> None:
    row = ROWS[name]
    *earlier, last = told.events(row)
    assert [event["kind"] for event in earlier] == [None] * (row.requests - 1)
    assert last["kind"] == told.kind(row)
    assert (last["exception"] is None) == (last["kind"] is None)


@pytest.mark.parametrize("name", ROWS)
def test_attempts_are_what_the_server_saw(told: Told, name: str) -> None:
    row = ROWS[name]
    events = told.events(row)
    attempts = [event["facts"]["attempts"] for event in events]
    sent = 0 if told.kind(row) in NEVER_SENT else 1
    assert attempts == [1] * (row.requests - 1) + [sent]
    seen = told.seen.get(name, Seen())
    assert seen.requests == sum(attempts)
    if told.user == "Http" or told.kind(row) is None:  # geventhttpclient shows the sent bytes only with an answer
        assert seen.nbytes == sum(event["facts"]["sent_bytes"] for event in events)


@pytest.mark.parametrize("name", ROWS)
def test_stream_and_times_are_told_of_every_request(told: Told, name: str) -> None:
    row = ROWS[name]
    events = told.events(row)
    second = "kept" if "kept" in name else "fresh"
    assert [event["facts"]["stream"] for event in events] == ["fresh", second][: row.requests]
    for event in events:
        facts = event["facts"]
        took_us = facts["end_us"] - facts["start_us"]
        assert 0 <= facts["connect_us"] <= took_us <= event["response_time_us"] + 1
        assert facts["latency_us"] == 0 or facts["connect_us"] <= facts["latency_us"] <= took_us
        assert bool(facts["connect_us"]) == (facts["stream"] == "fresh" and facts["attempts"] > 0)
        if event["kind"] is None:
            assert facts["latency_us"] > 0


def test_locust_counts_what_is_recorded(told: Told) -> None:
    for row in TABLE:
        requests, failures, _ = told.cases[row.behaviour]["statistics"]
        assert (requests, failures) == (row.requests, int(told.kind(row) is not None)), row.behaviour
