"""Who answered, whatever client the answer came through."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from support.responses import balancer_response, fast_response, no_response, requests_response
from switchover.locust.recording.attribution import CACHE_LIMIT, Attribution
from switchover.model.identity import (
    NAMES_LIMIT,
    NO_ANSWER,
    OTHER,
    UNKNOWN,
    AnsweredBy,
    Identity,
    IdentitySettings,
    WhoAnswered,
    clean,
    hash_session,
)

Make = Callable[..., Any]
clients = pytest.mark.parametrize("make", [fast_response, requests_response, balancer_response])


@clients
def test_headers_say_who_answered_without_case(make: Make) -> None:
    answer = Attribution(IdentitySettings()).read(
        make([("x-backend", "web1"), ("X-BALANCER", "lb1")], status=201, reason="Created"), failed=False
    )
    assert answer.identity == Identity("web1", "lb1", AnsweredBy.BACKEND)
    assert (answer.code, answer.message) == ("201", "Created")


@clients
def test_last_of_repeated_headers_answered(make: Make) -> None:
    response = make([("X-Backend", "web1"), ("X-Backend", "web2"), ("X-Balancer", "lb1")])
    assert Attribution(IdentitySettings()).read(response, failed=False).identity.backend == "web2"


@clients
def test_failed_answer_with_a_status_was_given_by_somebody(make: Make) -> None:
    answer = Attribution(IdentitySettings()).read(make([("X-Balancer", "lb1")], status=503), failed=True)
    assert answer.identity == Identity("", "lb1", AnsweredBy.BALANCER)


def test_no_answer_is_nobodys() -> None:
    attribution = Attribution(IdentitySettings())
    assert attribution.read(no_response(), failed=True).identity == NO_ANSWER
    assert attribution.read(None, failed=True).identity == NO_ANSWER


def test_good_sample_without_http_is_unknown() -> None:
    answer = Attribution(IdentitySettings()).read(None, failed=False)
    assert (answer.code, answer.identity) == ("", UNKNOWN)


@clients
def test_session_is_the_cookie_that_was_set_else_the_one_sent(make: Make) -> None:
    attribution = Attribution(IdentitySettings(sticky_cookie="SRV"))
    for received, sent, session in [
        ([("Set-Cookie", "a=1; path=/"), ("Set-Cookie", "SRV=web1; path=/")], [("Cookie", "SRV=web2")], "web1"),
        ([("Set-Cookie", "SRV=web1")], [], "web1"),
        ([("Set-Cookie", "a=1; Expires=Wed, 09 Jun 2100 10:18:14 GMT")], [("Cookie", "b=2; SRV=web2")], "web2"),
        ([], [("Cookie", "SRV=web2; b=2")], "web2"),
        ([], [("Cookie", "XSRV=web2")], ""),
        ([], [], ""),
    ]:
        response = make(received, sent=sent)
        assert attribution.session(response) == hash_session(session)
        assert attribution.session(response) == hash_session(session)


def test_cookie_given_by_hand_is_the_one_that_counts() -> None:
    attribution = Attribution(IdentitySettings(sticky_cookie="SRV"))
    for value in ("web1", "web2"):
        response = balancer_response(sent=[("Cookie", f"SRV={value}")])
        response.prepared.has_cookies, response.cookies_sent = True, b""
        assert attribution.session(response) == hash_session(value)


def test_failed_request_belongs_to_the_session_of_its_cookie() -> None:
    response = no_response()
    response.request = SimpleNamespace(headers={"Cookie": "SRV=web1"})
    assert Attribution(IdentitySettings(sticky_cookie="SRV")).session(response) == hash_session("web1")


def test_without_a_sticky_cookie_there_are_no_sessions() -> None:
    assert Attribution(IdentitySettings()).session(fast_response([("Set-Cookie", "SRV=web1")])) == ""


def test_names_are_bounded() -> None:
    attribution = Attribution(IdentitySettings())
    for number in range(NAMES_LIMIT):
        attribution.read(fast_response([("X-Backend", f"web{number}")]), failed=False)
    assert not attribution.names_overflowed
    assert attribution.read(fast_response([("X-Backend", "one more")]), failed=False).identity.backend == OTHER
    assert attribution.names_overflowed


def test_caches_are_bounded() -> None:
    attribution = Attribution(IdentitySettings(sticky_cookie="SRV"))
    for number in range(3 * CACHE_LIMIT):
        attribution.session(fast_response([("Set-Cookie", f"SRV={number}")]))
    assert len(attribution._sessions) <= CACHE_LIMIT


@pytest.mark.parametrize(
    "headers",
    [
        3,
        "X-Backend: web1",
        [("X-Backend",)],
        {"X-Backend": None, 5: "web1", b"X-Balancer": b"lb\xff1"},
        SimpleNamespace(items=lambda: 1 / 0),
        {"X-Backend": object()},
    ],
)
def test_strange_headers_tell_what_can_be_read(headers: Any) -> None:
    answer = Attribution(IdentitySettings()).read(SimpleNamespace(status_code=200, headers=headers), failed=False)
    assert answer.code == "200"
    assert answer.identity.backend == ""


def test_response_that_cannot_be_looked_at_is_no_answer() -> None:
    class Hostile:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError(name)

    assert Attribution(IdentitySettings()).read(Hostile(), failed=True).identity == NO_ANSWER


@pytest.mark.parametrize("status", [None, 0, -1, "abc", 99, 1000, "", "2000", 2.5])
def test_what_is_no_status_is_no_code(status: Any) -> None:
    assert Attribution(IdentitySettings()).read(SimpleNamespace(status_code=status), failed=True).code == ""


values = st.sampled_from(
    ["web1", "web2", "<NOSRV>", "10.0.0.1:80", "pool", "10.0.0.1:80, 10.0.0.2:80", "-", "0.1", "0.2 ", "- ", "", "é"]
)
names = st.sampled_from(["X-Backend", "x-balancer", "X-Upstream-Time", "X-Upstream-Time", "Date"])
pairs = st.lists(st.tuples(names, values), max_size=5)
makes = st.sampled_from([fast_response, requests_response, balancer_response])


@settings(max_examples=400)
@example([("X-Backend", "web1"), ("X-Upstream-Time", ""), ("X-Upstream-Time", "")], 200, "OK", fast_response)
@given(pairs, st.sampled_from([200, 503, 0]), st.sampled_from(["OK", "", "a\tb"]), makes)
def test_clients_responses_are_read_as_any_response(
    headers: list[tuple[str, str]], status: int, reason: str, make: Make
) -> None:
    """What is looked at for speed tells no less than all the headers; twice, for what was remembered."""
    attribution = Attribution(IdentitySettings())
    for _ in range(2):
        answer = attribution.read(make(headers, status=status, reason=reason), failed=False)
        assert answer.identity == WhoAnswered(IdentitySettings()).identify(headers)
        assert (answer.code, answer.message) == (str(status) if status else "", clean(reason))


@settings(max_examples=200)
@given(pairs, pairs, makes)
def test_answers_that_tell_the_same_are_read_the_same(
    first: list[tuple[str, str]], second: list[tuple[str, str]], make: Make
) -> None:
    attribution = Attribution(IdentitySettings())
    one, other = make(first), make(second)
    try:
        equal = attribution.answer_key(one) == attribution.answer_key(other)
    except AttributeError:
        return
    if equal:
        assert attribution.read(one, failed=False) == attribution.read(other, failed=False)
