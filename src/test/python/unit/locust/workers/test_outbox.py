"""What a worker tells arrives once, in order and complete; it learns the master's time, with a bound that holds."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchover.locust.recording.sample_kinds import TrafficCounter
from switchover.locust.workers.worker import Outbox
from switchover.locust.workers.worker_list import LATE, LOST, START, STOPPED, Anchor, WorkerState, clock_domain
from switchover.model.identity import AnsweredBy, Identity
from switchover.model.outcome import Outcome
from switchover.rundir.measurements import USERS
from switchover.rundir.points import format_point

END = {
    "path": "",
    "here": True,
    "samples": 3,
    "lost": 0,
    "abandoned": 0,
    "warnings": [],
    "without_timeout": [],
    "seals": [],
    "clocks": [],
    "offset_us": 0,
    "bound_us": 0,
}
RUN = "20260101T120000Z-run"


def line(count: int, second: int = 1, label: str = "a b") -> str:
    escaped = label.replace(" ", "\\ ")
    tags = f"generator=locust,label={escaped},run={RUN},worker=worker-1"
    return f"switchover_requests,{tags} count={count}i {second * 1_000_000_000}"


def account(joined: str = START) -> WorkerState:
    return WorkerState(RUN, "worker-1", "some_host_0123", joined, 0.0)


@given(st.lists(st.lists(st.integers(1, 50), max_size=3), max_size=30), st.randoms(use_true_random=False))
def test_nothing_is_lost_or_counted_twice_on_a_bad_wire(told: list[list[int]], chance: Any) -> None:
    """Messages and acknowledgements get lost, come twice and out of order."""
    outbox, known = Outbox("run", "worker-1"), account()
    taken: list[str] = []
    written: list[str] = []
    now_s, second = 0.0, 0
    wire: list[dict[str, Any]] = []
    for counts in told:
        lines = [line(count, second := second + 1) for count in counts]
        written += lines
        outbox.put(lines)
        now_s += 1.0
        wire += outbox.messages_due(now_s)
    outbox.put_end({**END, "samples": sum(map(sum, told))})
    for _ in range(400):
        if outbox.delivered:
            break
        now_s += 1.0
        wire += outbox.messages_due(now_s)
        chance.shuffle(wire)
        for message in wire:
            if chance.random() < 0.7:
                taken += known.receive(message)
            if chance.random() < 0.7:
                outbox.acknowledged(known.received_up_to)
        wire = [message for message in wire if chance.random() < 0.2]
    assert outbox.delivered
    assert taken == written
    assert known.points == sum(map(sum, told))
    assert known.warnings() == []
    assert known.facts()["ended"] == STOPPED


def test_a_point_that_is_told_again_replaces_the_one_before() -> None:
    known = account()
    lines = [line(3), line(5), line(2, label="other"), line(4, second=2), line(6, second=2)]
    known.receive({"number": 1, "lines": lines, "end": None})
    assert known.points == 5 + 2 + 6


def test_a_worker_that_says_no_last_word_is_lost() -> None:
    known = account(LATE)
    known.receive({"number": 1, "lines": [line(3)], "end": None})
    facts = known.facts()
    assert (facts["ended"], facts["joined"], facts["points"], facts["samples"]) == (LOST, LATE, 3, None)
    assert (facts["part"], facts["host"]) == ("samples-worker-1.jtl", "some_host")
    (warning,) = known.warnings()
    assert "worker-1 ended without a last message" in warning


def test_a_difference_between_recorded_and_told_names_the_worker() -> None:
    known = account()
    known.receive({"number": 1, "lines": [line(2)], "end": END})
    assert known.warnings() == ["worker-1 recorded 3 requests, but its traffic contains 2 requests"]


@pytest.mark.parametrize(
    "lie",
    [
        "no point",
        7,
        line(3) + '\nswitchover_event,kind=fault text="fired" 1',
        line(3) + "\n",
        line(3).replace("worker-1", "worker-2"),
        line(3).replace(RUN, "another"),
        line(3).replace(",run=", ",run=another,run="),
        line(3).replace("switchover_requests", "switchover_event"),
        line(3).replace("label=", "node="),
        line(3).replace("count=", "price="),
        line(3, label="a" * 70_000),
    ],
)
def test_a_line_that_is_not_of_the_workers_own_traffic_stays_out_of_the_journal(lie: object) -> None:
    known = account()
    assert known.receive({"number": 1, "lines": [lie, line(3)], "end": END}) == [line(3)]
    assert known.points == 3
    assert known.warnings() == ["worker-1 sent 1 invalid lines, which were dropped"]


@pytest.mark.parametrize(
    "lie",
    [
        "gone",
        {"samples": "3"},
        {"here": "yes"},
        {"lost": -1},
        {"warnings": ["x" * 1001]},
        {"clocks": [1]},
        {"seals": [{"bytes": -1}]},
    ],
    ids=str,
)
def test_a_last_message_of_another_form_is_none(lie: Any) -> None:
    known = account()
    known.receive({"number": 1, "lines": [line(3)], "end": {**END, **lie} if isinstance(lie, dict) else lie})
    assert known.facts()["ended"] == LOST


def test_every_line_of_a_recorder_is_accepted() -> None:
    counter = TrafficCounter(RUN, "worker-1", late_us=1_000_000)
    series = counter.series("/a b,c=d", Identity("web 1", "lb1", AnsweredBy.BACKEND), Outcome.GOOD)
    counter.add_all(series, 5, [900, 1200], 77)
    lines = counter.take_points(9_000_000)
    users = format_point(USERS, {"generator": "locust", "run": RUN, "worker": "worker-1"}, {"active": 3}, 5)
    assert account().receive({"number": 1, "lines": [*lines, users], "end": None}) == [*lines, users] != [users]


WAYS_NS = st.integers(0, 3_000_000_000)


@given(st.integers(-(10**18), 10**18), st.integers(0, 10**15), WAYS_NS, WAYS_NS)
def test_the_true_anchor_lies_within_the_bound(true_ns: int, sent_ns: int, there_ns: int, back_ns: int) -> None:
    read_ns = sent_ns + there_ns
    anchor = Anchor.of(sent_ns, read_ns + true_ns, read_ns + back_ns)
    assert abs(anchor.anchor_ns - true_ns) <= anchor.bound_ns
    assert anchor.bound_ns <= (there_ns + back_ns) // 2 + 1


def test_one_boot_and_one_time_namespace_are_one_clock() -> None:
    assert clock_domain() == clock_domain() != ""
