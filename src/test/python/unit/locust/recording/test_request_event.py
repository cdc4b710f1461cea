"""Events of any client become samples: times, names and addresses."""

from typing import Any

import pytest

from support.responses import fast_response
from switchover.locust.recording.attribution import Attribution
from switchover.locust.recording.request_event import EventReader, RequestEvent
from switchover.locust.recording.request_facts import Leg, RequestFacts
from switchover.model.clock import Clock
from switchover.model.identity import IdentitySettings
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
