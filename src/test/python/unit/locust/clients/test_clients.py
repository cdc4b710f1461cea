"""Locust's clients, watched: redirects, cookies, with-blocks, and what people make of the two users."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from support.client_cases import case, run_cases
from support.exchange import Seen
from support.misbehaving import MisbehavingServer, misbehaving

Event = dict[str, Any]


@dataclass(frozen=True)
class Told:
    user: str
    server: MisbehavingServer
    cases: dict[str, dict[str, Any]]
    seen: dict[str, Seen]

    def events(self, name: str) -> list[Event]:
        events: list[Event] = self.cases[name]["events"]
        return events

    def event(self, name: str) -> Event:
        (event,) = self.events(name)
        return event


@pytest.fixture(scope="module", params=["Http", "Fast"])
def told(request: pytest.FixtureRequest) -> Iterator[Told]:
    """One process, in which each case has a user of its own."""
    user: str = request.param
    with misbehaving() as server:
        cases = {name: case(user, *steps) for name, steps in _steps(server).items()}
        answers = run_cases(cases)
        yield Told(user, server, answers["cases"], server.counts())


def _steps(server: MisbehavingServer) -> dict[str, list[dict[str, Any]]]:
    caught = {"catch_response": True}
    site = server.url("site")
    return {
        "redirects": [{"get": server.url("site", "/redirect/2")}],
        "not followed": [{"get": server.url("site", "/redirect/2"), "with": {"allow_redirects": False}}],
        "loop": [{"get": server.url("site", "/loop")}],
        "to nowhere": [{"get": server.url("site", "/to?" + server.url("refused"))}],
        "to trouble": [{"get": server.url("site", "/to?" + server.url("rst_after_request"))}],
        "judged": [
            {"get": server.url("site", "/status/503")},
            {"get": site, "with": caught, "failure": "wrong page"},
            {"get": server.url("refused"), "with": caught, "failure": "no page"},
            {"get": site, "with": {**caught, "name": "of my own"}},
            {"get": server.url("site", "/status/304")},
        ],
        "bodies": [
            {"get": server.url("site", "/a b?c=ü")},
            {"get": site, "method": "POST", "with": {"data": "x" * 10_000}},
            {"get": site, "method": "POST", "with": {"json": {"ü": 1}, "headers": {"X-Own": "1"}}},
            {"get": site, "method": "PUT", "with": {"data": {"a": "1", "b": "ü"}}},
            {"get": site, "method": "HEAD"},
            {"rest": server.url("site", "/echo")},
        ],
        "unanswered body": [{"get": server.url("fin_after_request"), "method": "POST", "with": {"data": "x" * 1000}}],
        "cookies": [{"get": server.url("site", "/set?session=abc")}, {"get": site}],
        "at once": [{"get": server.url("slow_body"), "times": 5}, {"get": site, "times": 5}, {"get": site}],
        "truncated": [{"get": server.url("fin_in_headers")}, {"plain": server.url("fin_in_headers")}],
        "timed out": [{"get": server.url("read_timeout", "/timed-out"), "given_up_by": "Timeout"}],
        "stopped": [{"get": server.url("read_timeout", "/stopped"), "given_up_by": "GreenletExit"}],
        "nameless": [{"get": "http://" + ".".join(["a" * 60] * 5) + "/"}],
    }


def test_a_timeout_of_the_test_is_a_failure_and_a_stopped_user_is_not(told: Told) -> None:
    for name, kind in (("timed out", "read_timeout"), ("stopped", "generator")):
        event = told.event(name)
        assert (event["kind"], event["facts"]["kind"], event["facts"]["attempts"]) == (kind, kind, 1), name


def test_each_followed_redirect_is_a_leg_with_its_own_headers_and_times(told: Told) -> None:
    facts = told.event("redirects")["facts"]
    assert [leg["status"] for leg in facts["legs"]] == [302, 302]
    assert [leg["headers"]["X-Backend"] for leg in facts["legs"]] == ["web2", "web1"]
    assert [leg["headers"]["Location"].rpartition("/")[2] for leg in facts["legs"]] == ["1", ""]
    assert [leg["attempts"] for leg in facts["legs"]] + [facts["attempts"]] == [1, 1, 1]
    assert [leg["stream"] for leg in facts["legs"]] + [facts["stream"]] == ["fresh", "kept", "kept"]
    first, second = facts["legs"]
    assert facts["start_us"] == first["start_us"] < first["end_us"] <= second["start_us"] < second["end_us"]
    assert second["end_us"] <= facts["end_us"]
    for leg in facts["legs"]:
        assert 0 <= leg["connect_us"] <= leg["latency_us"] <= leg["end_us"] - leg["start_us"]
    assert first["connect_us"] > 0 == second["connect_us"] == facts["connect_us"]
    assert facts["latency_us"] > second["end_us"] - facts["start_us"]


def test_redirects_without_end_are_a_failure_and_each_answer_is_told(told: Told) -> None:
    event = told.event("loop")
    assert event["kind"] == "protocol"
    assert [leg["status"] for leg in event["facts"]["legs"]] == [302] * 31
    assert event["facts"]["attempts"] == 0


def test_status_and_with_blocks_decide_where_the_exchange_was_sound(told: Told) -> None:
    events = told.events("judged")
    assert [event["kind"] for event in events] == ["status", "assertion", "refused", None, None]
    assert [event["facts"]["attempts"] for event in events] == [1, 1, 0, 1, 1]
    assert [event["facts"]["legs"] for event in events] == [[]] * 5
    assert events[3]["name"] == "of my own"


def test_what_was_sent_is_counted_to_the_byte(told: Told) -> None:
    """Of all cases together, but for the one in which others send as well."""
    all_facts = [event["facts"] for name in told.cases if name != "truncated" for event in told.events(name)]
    parts = [part for facts in all_facts for part in (facts, *facts["legs"])]
    seen = [seen for behaviour, seen in told.seen.items() if behaviour != "fin_in_headers"]
    assert sum(part["attempts"] for part in parts) == sum(each.requests for each in seen)
    sent, arrived = sum(part["sent_bytes"] for part in parts), sum(each.nbytes for each in seen)
    assert sent == arrived or (told.user == "Fast" and sent < arrived)


def test_concurrent_requests_of_one_user_keep_their_facts_apart(told: Told) -> None:
    events = told.events("at once")
    assert [event["facts"]["attempts"] for event in events] == [1] * 11
    assert events[-1]["facts"]["stream"] == "kept"
    for event in events:
        facts = event["facts"]
        assert facts["connect_us"] <= facts["latency_us"] <= facts["end_us"] - facts["start_us"]
        assert bool(facts["connect_us"]) == (facts["stream"] == "fresh")
