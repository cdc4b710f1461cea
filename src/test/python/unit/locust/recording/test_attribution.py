"""Who answered, whatever client the answer came through."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from support.examples import examples
from support.responses import balancer_response, fast_response, requests_response
from switchover.locust.recording.attribution import Attribution
from switchover.model.identity import (
    IdentitySettings,
    WhoAnswered,
    clean,
    hash_session,
)

Make = Callable[..., Any]
clients = pytest.mark.parametrize("make", [fast_response, requests_response, balancer_response])


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


@pytest.mark.parametrize(
    "headers",
    [
        3,
        {"X-Backend": None, 5: "web1", b"X-Balancer": b"lb\xff1"},
        {"X-Backend": object()},
    ],
)
def test_strange_headers_tell_what_can_be_read(headers: Any) -> None:
    answer = Attribution(IdentitySettings()).read(SimpleNamespace(status_code=200, headers=headers), failed=False)
    assert answer.code == "200"
    assert answer.identity.backend == ""


values = st.sampled_from(
    ["web1", "web2", "<NOSRV>", "10.0.0.1:80", "pool", "10.0.0.1:80, 10.0.0.2:80", "-", "0.1", "0.2 ", "- ", "", "é"]
)
names = st.sampled_from(["X-Backend", "x-balancer", "X-Upstream-Time", "X-Upstream-Time", "Date"])
pairs = st.lists(st.tuples(names, values), max_size=5)
makes = st.sampled_from([fast_response, requests_response, balancer_response])


@settings(max_examples=examples(400))
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


@settings(max_examples=examples(200))
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
