"""What is recorded: rows, points and totals that agree to the last sample, by either way through the recorder."""

import errno
import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.examples import examples
from support.responses import balancer_response, fast_response, no_response, requests_response
from support.sample_rows import read_samples
from switchover.locust.recording import recorder as recorder_module
from switchover.locust.recording.recorder import Recorder, RunDescription
from switchover.locust.recording.request_facts import Leg, RequestFacts
from switchover.locust.recording.sample_kinds import LABELS_LIMIT
from switchover.model.clock import Clock
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import IdentitySettings
from switchover.rundir.damaged_lines import Ignored
from switchover.rundir.points import Point, parse_point
from switchover.rundir.sample_log import Sample

START_US = 1_767_225_600_000_000
SECOND = 1_000_000
LATE_US = 500_000
RUN = RunDescription("r1", "", "", 0, IdentitySettings(), LATE_US, (None, None))


class SetClock(Clock):
    """Stands where it is put."""

    __slots__ = ("at_us",)

    def __init__(self) -> None:
        super().__init__(0)
        self.at_us = START_US

    def now_ns(self) -> int:
        return self.at_us * 1000

    def now_us(self) -> int:
        return self.at_us


class Recording:
    """A recorder, its clock, and all that it told."""

    def __init__(self, path: Path, worker: str = "", sticky_cookie: str | None = None) -> None:
        path.unlink(missing_ok=True)
        self.path = path
        self.clock = SetClock()
        identity = IdentitySettings(sticky_cookie=sticky_cookie)
        self.recorder = Recorder(path, worker, replace(RUN, identity=identity), self.clock)
        self._points: dict[tuple[str, frozenset[tuple[str, str]], int], Point] = {}

    def request(self, response: Any = None, **values: Any) -> None:
        event = {"request_type": "GET", "name": "/a", "url": "http://vip/a", "response_length": 5, "context": {}}
        self.recorder.on_request(**event | {"response": response} | values)

    def good(self, took_us: int = 1000, make: Callable[..., Any] = fast_response, **values: Any) -> None:
        facts = RequestFacts(self.clock.at_us - took_us, self.clock.at_us, 0, took_us // 2, 90, 1, "kept")
        headers = [("X-Backend", "web1"), ("X-Balancer", "lb1")]
        self.request(make(headers, facts=facts), **values)

    def take(self, *, end: bool = False) -> list[str]:
        lines = self.recorder.take_points(end)
        for line in lines:
            point = parse_point(line)
            self._points[point.measurement, frozenset(point.tags.items()), point.time_ns] = point
        return lines

    def end(self) -> tuple[list[Sample], list[Point]]:
        self.recorder.close()
        self.take(end=True)
        ignored = Ignored()
        samples = list(read_samples(self.path, ignored))
        assert ignored.total == 0
        return samples, [point for point in self._points.values() if point.measurement == "switchover_requests"]


@pytest.fixture
def recording(tmp_path: Path) -> Iterator[Recording]:
    made = Recording(tmp_path / "samples.jtl")
    yield made
    made.recorder.close()


def counted(points: list[Point], field: str = "count", **tags: str) -> int:
    found = (p.fields[field] for p in points if all(p.tags.get(key) == value for key, value in tags.items()))
    return sum(value for value in found if isinstance(value, int))


def test_points_tell_who_answered_and_how_it_went(recording: Recording) -> None:
    recording.good()
    recording.good()
    recording.good(took_us=LATE_US + 1)
    recording.request(no_response(), exception="refused", response_time=1)
    recording.request(no_response(), exception=OSError(errno.EMFILE, "too many open files"), response_time=1)
    _, points = recording.end()
    told = {"generator": "locust", "run": "r1", "label": "/a"}
    answered = {"answered_by": "backend", "backend": "web1", "balancer": "lb1"}
    assert {(tuple(sorted(point.tags.items())), point.fields["count"]) for point in points} == {
        (tuple(sorted({**told, **answered, "outcome": "good"}.items())), 2),
        (tuple(sorted({**told, **answered, "outcome": "late"}.items())), 1),
        (tuple(sorted({**told, "answered_by": "none", "outcome": "failed"}.items())), 1),
        (tuple(sorted({**told, "answered_by": "none", "outcome": "unsent"}.items())), 1),
    }


def test_totals_tell_what_was_recorded(recording: Recording) -> None:
    for _ in range(3):
        recording.good()
    recording.good(took_us=LATE_US + 1)
    facts = RequestFacts(START_US - 9, START_US, attempts=3)
    for _ in range(2):
        recording.request(fast_response(facts=facts))
    leg = Leg(START_US - 9, START_US - 5, status=302, attempts=2)
    recording.request(fast_response(facts=RequestFacts(START_US - 9, START_US, legs=[leg])))
    recording.request(no_response(), exception="refused")
    assert (recording.recorder.samples, recording.recorder.writer.lost) == (9, 0)
    assert recording.recorder.warnings == []


def test_users_are_points_and_stand_in_the_rows(recording: Recording) -> None:
    recording.recorder.users(2, START_US)
    recording.good()
    recording.good()
    recording.recorder.users(50, START_US + SECOND)
    recording.good()
    lines = recording.take()
    assert lines == [
        f"switchover_users,generator=locust,run=r1 active=2i {START_US * 1000}",
        f"switchover_users,generator=locust,run=r1 active=50i {(START_US + SECOND) * 1000}",
    ]
    samples, _ = recording.end()
    assert [sample.users for sample in samples] == [2, 2, 50]


def test_labels_of_the_traffic_are_bounded_and_those_of_the_log_are_not(recording: Recording) -> None:
    for number in range(LABELS_LIMIT + 50):
        recording.good(name=f"/{number}")
    samples, points = recording.end()
    assert len({sample.label for sample in samples}) == LABELS_LIMIT + 50
    assert counted(points, label="other") == 50
    (warning,) = recording.recorder.warnings
    assert "more than 1000 names of requests" in warning


def test_full_disk_is_counted_and_warned_of_but_never_raised() -> None:
    recorder = Recorder(Path("/dev/full"), "", RUN, SetClock())
    for _ in range(3):
        recorder.on_request(name="/a", response_time=1)
        recorder.flush()
    recorder.close()
    recorder.on_request(name="/a", response_time=1)
    recorder.flush()
    assert recorder.samples == recorder.writer.lost == 4
    assert "No space left on device" in recorder.warnings[0]


def test_sample_that_cannot_be_read_is_a_sample_all_the_same(recording: Recording) -> None:
    facts = RequestFacts(START_US - 5, START_US, legs=[None])  # type: ignore[list-item]
    recording.request(fast_response(facts=facts), name="/odd")
    (sample,), points = recording.end()
    assert (sample.label, sample.success) == ("/odd", True)
    assert counted(points) == 1
    assert "some samples were recorded incompletely" in recording.recorder.warnings[0]


names = st.sampled_from(["/a", "/b, c", "/a?x=1", "/item?id=[id]", 'say "hi"\r\nthere']) | st.text(max_size=8)
urls = st.sampled_from(["http://vip/a", "http://vip/a?x=1", "http://u:p@vip/b", 'http://vip/"', None])
headers = st.lists(
    st.sampled_from(
        [
            ("X-Backend", "web1"),
            ("x-backend", "web2"),
            ("X-Balancer", "lb1"),
            ("X-Upstream-Time", "0.1"),
            ("X-Upstream-Time", "-"),
            ("Set-Cookie", "SRV=web1"),
            ("Set-Cookie", "other=1"),
        ]
    ),
    max_size=4,
)


@st.composite
def events(draw: st.DrawFn) -> dict[str, Any]:
    """A request whose answer ended up to three seconds after START_US."""
    start_us = draw(st.integers(0, 2 * SECOND).map(START_US.__add__) | st.just(0))
    took_us = draw(st.integers(0, 2000) | st.integers(0, SECOND))
    facts = RequestFacts(
        start_us,
        start_us + took_us,
        connect_us=draw(st.integers(0, took_us) | st.just(0)),
        latency_us=draw(st.integers(-1, took_us)),
        sent_bytes=draw(st.integers(0, 5000)),
        attempts=draw(st.integers(0, 3)),
        stream=draw(st.sampled_from(["fresh", "kept", ""])),
        kind=draw(st.sampled_from([None, FailureKind.RESET])),
        legs=draw(st.lists(st.builds(Leg, st.just(start_us), st.just(start_us), status=st.just(302)), max_size=1)),
    )
    make = draw(st.sampled_from([fast_response, requests_response, balancer_response]))
    response = make(
        draw(headers),
        status=draw(st.sampled_from([200, 404, 503])),
        reason=draw(st.sampled_from(["OK", "", "Not, Found"])),
        sent=draw(st.sampled_from([[], [("Cookie", "SRV=web2; a=b")]])),
        facts=facts,
    )
    return {
        "response": response,
        "name": draw(names),
        "url": draw(urls),
        "response_length": draw(st.sampled_from([0, 7, 100_000, 12.0, -5, None])),
        "exception": draw(st.sampled_from([None, None, None, "said the test"])),
    }


def not_for_you(response: Any) -> Any:
    raise AttributeError("headers")


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(events(), min_size=1, max_size=12), st.integers(1, 20))
def test_short_way_and_long_way_leave_the_same_bytes(
    tmp_path: Path, happened: list[dict[str, Any]], batch: int
) -> None:
    """Every event twice, the second time of a kind that is known; the long way is that of any other client."""
    short, long = (
        Recording(tmp_path / "s.jtl", sticky_cookie="SRV"),
        Recording(tmp_path / "l.jtl", sticky_cookie="SRV"),
    )
    long.recorder._answer_key = not_for_you
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recorder_module, "BATCH", batch)
        for made in (short, long):
            made.clock.at_us += 4 * SECOND
            for event in happened * 2:
                made.request(**event)
    assert (short.recorder.samples, short.recorder.writer.lost) == (long.recorder.samples, long.recorder.writer.lost)
    assert sorted(short.take(end=True)) == sorted(long.take(end=True))
    short.recorder.close()
    long.recorder.close()
    assert sorted(short.path.read_bytes().splitlines()) == sorted(long.path.read_bytes().splitlines())


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(events() | st.sampled_from(["second", "take", "flush", "end", "totals", "users"]), max_size=40))
def test_points_count_every_row_once(tmp_path: Path, steps: list[Any]) -> None:
    recording = Recording(tmp_path / "samples.jtl")
    users = itertools.count()
    for step in steps:
        if isinstance(step, dict):
            facts = step["response"].switchover_facts
            recording.clock.at_us = max(recording.clock.at_us, facts.end_us)
            recording.request(**step)
        elif step == "second":
            recording.clock.at_us += 11 * SECOND
        elif step == "flush":
            recording.recorder.flush()
        elif step == "totals":
            assert recording.recorder.writer.lost == 0
        elif step == "users":
            recording.recorder.users(next(users), recording.clock.at_us)
        else:
            recording.take(end=step == "end")
    samples, points = recording.end()
    recorder = recording.recorder
    assert counted(points) == recorder.samples == len(samples)
    failed = counted(points, outcome="failed") + counted(points, outcome="unsent")
    assert failed == sum(not sample.success for sample in samples)
    assert counted(points, outcome="unsent") == sum(one.error is FailureKind.GENERATOR for one in samples)
    assert counted(points, "bytes") == sum(sample.nbytes for sample in samples)
