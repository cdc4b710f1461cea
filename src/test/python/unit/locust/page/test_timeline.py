"""Lines of traffic become counts per second and shares, whoever sends them, however often."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchover.locust.page.run_observer import Timeline
from switchover.rundir.points import Point

SECOND_NS = 1_000_000_000
NEVER_S = 1 << 40


def line(at_s: int, count: int, measurement: str = "switchover_requests", **tags: str) -> Point:
    tags = {"run": "r", "outcome": "good", "answered_by": "backend", "balancer": "lb1", "backend": "web1"} | tags
    return Point(measurement, tags, {"count": count, "bytes": 7, "hdr": "HIST=="}, at_s * SECOND_NS)


def read(*lines: Point) -> Timeline:
    timeline = Timeline()
    for one in lines:
        timeline.read(one, NEVER_S)
    return timeline


def backends(timeline: Timeline) -> dict[str, Any]:
    return {row["name"]: row["count"] for row in timeline.shares()["backends"]}


def test_outcomes_are_told_apart_and_a_request_without_an_answer_has_no_backend() -> None:
    timeline = read(
        line(5, 10),
        line(5, 2, outcome="failed", answered_by="none", balancer="", backend=""),
        line(5, 1, outcome="late"),
    )
    assert list(timeline.seconds()) == [[5, 10, 2, 1, 0, 0, 0]]
    assert backends(timeline) == {"web1": 11}
    assert timeline.shares()["answered_by"] == {"backend": 11, "none": 2}


def test_a_bucket_that_is_written_again_counts_with_its_last_total() -> None:
    timeline = read(line(5, 10), line(5, 12), line(5, 12))
    assert (list(timeline.requests.values()), backends(timeline)) == ([12, 0, 0], {"web1": 12})


def test_probes_on_kept_connections_are_not_the_probers_schedule() -> None:
    timeline = read(line(5, 10, "switchover_probes", stream="fresh"), line(5, 7, "switchover_probes", stream="kept"))
    assert [*timeline.probes.values(), *timeline.requests.values()] == [10, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    "tags",
    [{"outcome": "unsent"}, {"outcome": "generator"}],
    ids=["now", "earlier requests"],
)
def test_what_the_client_could_not_send_is_no_failure(tags: dict[str, str]) -> None:
    for measurement in ("switchover_requests", "switchover_probes"):
        assert list(read(line(5, 3, measurement, **tags)).seconds()) == []


def test_journals_of_earlier_versions_are_read() -> None:
    assert list(read(line(5, 10, outcome="ok")).requests.values()) == [10, 0, 0]


@given(st.lists(st.tuples(st.integers(0, 50), st.sampled_from(["good", "late"]), st.integers(1, 9)), max_size=50))
def test_a_reader_that_asks_for_changes_knows_what_one_knows_that_asks_for_all(
    counts: list[tuple[int, str, int]],
) -> None:
    timeline, revision = Timeline(), 0
    known: dict[int, list[int]] = {}
    for at_s, outcome, number in counts:
        timeline.read(line(at_s, number, outcome=outcome), NEVER_S)
        known |= {second[0]: second for second in timeline.seconds(revision)}
        revision = timeline.revision
    assert list(timeline.seconds()) == [known[at_s] for at_s in sorted(known)]
