"""Events of any client become samples: times, names and addresses, and who answered."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from support.examples import examples
from support.responses import balancer_response, fast_response, requests_response
from switchover.locust.recording.attribution import Attribution
from switchover.locust.recording.request_event import EventReader, RequestEvent
from switchover.locust.recording.request_facts import Leg, RequestFacts
from switchover.model.clock import Clock
from switchover.model.identity import (
    IdentitySettings,
    WhoAnswered,
    clean,
    hash_session,
)
from switchover.rundir.sample_log import Sample

NOW_US = 1_767_225_600_000_000


class StoodStill(Clock):
    def now_ns(self) -> int:
        return NOW_US * 1000

    def now_us(self) -> int:
        return NOW_US


def read(**values: Any) -> list[Sample]:
    event: dict[str, Any] = {
        "name": "/a",
        "response_time": 5.0,
        "response_length": 10,
        "response": None,
        "exception": None,
        "url": "http://vip/a",
    }
    reader = EventReader(Attribution(IdentitySettings()), StoodStill(0))
    return reader.read(RequestEvent(**event | values), "user-1", 3)


def test_facts_say_when() -> None:
    facts = RequestFacts(NOW_US - 500, NOW_US - 100, 50, 300, 70, 2, "fresh")
    (sample,) = read(response=fast_response(facts=facts))
    assert (sample.start_us, sample.end_us) == (NOW_US - 500, NOW_US - 100)
    assert (sample.connect_us, sample.latency_us, sample.sent_bytes) == (50, 300, 70)
    assert (sample.attempts, sample.stream, sample.users, sample.thread) == (2, "fresh", 3, "user-1")


@pytest.mark.parametrize(
    ("response_time", "expected"),
    [
        (5, (NOW_US - 5_000, NOW_US)),
        ("5", (NOW_US - 5_000, NOW_US)),
        (None, (NOW_US, NOW_US)),
        (float("inf"), (NOW_US, NOW_US)),
        (float("nan"), (NOW_US, NOW_US)),
        (10**400, (NOW_US, NOW_US)),
        (-5, (NOW_US, NOW_US)),
    ],
)
def test_a_request_without_facts_ends_now(response_time: Any, expected: tuple[int, int]) -> None:
    (sample,) = read(response_time=response_time)
    assert (sample.start_us, sample.end_us) == expected


@pytest.mark.parametrize(
    ("name", "url", "label"),
    [
        ("/a", "http://vip/a", "/a"),
        ("/a?token=s3cret", "http://vip/a?token=s3cret", "/a?token=***"),
        ("http://u:s3cret@vip/a", "http://u:s3cret@vip/a", "http://vip/a"),
        ("/a?id=[id]", "http://vip/a?id=17", "/a?id=[id]"),
        ("a name, chosen", None, "a name, chosen"),
        (b"/bytes", "http://vip/a", "/bytes"),
        (None, "http://vip/a", ""),
        (17, "http://vip/a", "17"),
    ],
)
def test_label_is_the_name_but_hides_what_nobody_chose_to_show(name: Any, url: Any, label: str) -> None:
    (sample,) = read(name=name, url=url)
    assert sample.label == label


def test_failure_message_shows_no_secrets() -> None:
    error = ConnectionError("no way to http://u:s3cret@vip/a?token=s3cret")
    (sample,) = read(exception=error)
    assert sample.failure_message == "no way to http://vip/a?token=***"


def test_redirects_are_samples_of_their_own() -> None:
    legs = [
        Leg(
            NOW_US - 900,
            NOW_US - 600,
            status=302,
            headers={"X-Balancer": "lb1", "Location": "/b?x=s3cret"},
            stream="fresh",
            attempts=2,
        ),
        Leg(
            NOW_US - 600,
            NOW_US - 300,
            sent_bytes=8,
            status=301,
            headers={"X-Backend": ["web1", "web2"], "location": "http://vip/last"},
            nbytes=7,
        ),
    ]
    facts = RequestFacts(NOW_US - 900, NOW_US - 10, legs=legs)
    first, second, last = read(response=fast_response([("X-Backend", "web3")], facts=facts), url="http://vip/a")
    assert [sample.label for sample in (first, second, last)] == ["/a [redirect 1]", "/a [redirect 2]", "/a"]
    assert [sample.url for sample in (first, second, last)] == [
        "http://vip/a",
        "http://vip/b?x=***",
        "http://vip/last",
    ]
    assert [sample.code for sample in (first, second, last)] == ["302", "301", "200"]
    assert [sample.success for sample in (first, second, last)] == [True, True, True]
    assert first.identity.balancer == "lb1"
    assert second.identity.backend == "web2"
    assert (first.attempts, first.stream, second.nbytes, second.sent_bytes) == (2, "fresh", 7, 8)
    assert (last.start_us, last.end_us) == (NOW_US - 900, NOW_US - 10)


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
