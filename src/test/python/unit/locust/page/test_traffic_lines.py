"""Lines of traffic become counts per second, whoever sends them, however often."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchover.locust.page.counters import series_of, time_ns_of
from switchover.locust.page.timeline import KEEP_S, WIDE_LIMIT, Timeline
from switchover.locust.page.traffic_lines import NAMES_LIMIT, SeriesNames, TrafficLines
from switchover.model.identity import OTHER
from switchover.rundir.points import format_point

SECOND_NS = 1_000_000_000


def line(at_s: int, count: int, measurement: str = "switchover_requests", **tags: str) -> str:
    tags = {"run": "r", "outcome": "good", "answered_by": "backend", "balancer": "lb1", "backend": "web1"} | tags
    return format_point(measurement, tags, {"count": count, "bytes": 7, "hdr": "HIST=="}, at_s * SECOND_NS)


def counted(lines: list[str]) -> dict[tuple[int, SeriesNames], list[int]]:
    traffic = TrafficLines()
    found: dict[tuple[int, SeriesNames], list[int]] = {}
    for one in lines:
        addition = traffic.read(one)
        if addition is not None and addition.series is not None:
            counts = found.setdefault((addition.at_s, traffic.series_names[addition.series]), [0, 0, 0])
            counts[addition.outcome] += addition.number
    return found


WEB1 = SeriesNames("lb1", "web1", "backend")


def test_workers_and_labels_are_added_up() -> None:
    lines = [
        line(5, 10, worker="a", label="/"),
        line(5, 3, worker="b", label="/"),
        line(5, 2, worker="a", label="/x"),
    ]
    assert counted(lines) == {(5, WEB1): [15, 0, 0]}


def test_outcomes_and_answerers_are_told_apart() -> None:
    lines = [
        line(5, 10),
        line(5, 2, outcome="failed", answered_by="none", balancer="", backend=""),
        line(5, 1, outcome="late"),
    ]
    assert counted(lines) == {(5, WEB1): [10, 0, 1], (5, SeriesNames("", "", "none")): [0, 2, 0]}


def test_a_bucket_that_is_written_again_counts_with_its_last_total() -> None:
    assert counted([line(5, 10), line(5, 12), line(5, 12)]) == {(5, WEB1): [12, 0, 0]}


def test_names_with_blanks_and_commas_are_read_as_they_were_written() -> None:
    (found,) = counted([line(5, 1, backend="a b,c=d\\e")])
    assert found[1].backend == "a b,c=d\\e"


def test_names_beyond_the_limit_are_one() -> None:
    lines = [line(5, 1, backend=f"web{number}") for number in range(3 * NAMES_LIMIT)]
    found = counted(lines)
    assert len(found) == NAMES_LIMIT
    assert found[5, SeriesNames(OTHER, OTHER, OTHER)] == [2 * NAMES_LIMIT + 1, 0, 0]


def test_probes_on_kept_connections_are_not_the_probers_schedule() -> None:
    traffic = TrafficLines()
    fresh = traffic.read(line(5, 10, "switchover_probes", stream="fresh"))
    assert fresh is not None and fresh.series is None
    assert traffic.read(line(5, 10, "switchover_probes", stream="kept")) is None


@given(st.text(max_size=200))
def test_what_is_no_line_of_traffic_adds_nothing(text: str) -> None:
    assert TrafficLines().read(text) is None
    assert TrafficLines().read(f"switchover_requests,{text}") is None


def phase(at_s: int) -> str:
    return "after" if at_s >= 1_234 else "before"


@pytest.mark.parametrize(
    "tags",
    [{"outcome": "unsent"}, {"outcome": "generator"}, {"outcome": "failed", "error": "generator"}],
    ids=["now", "earlier requests", "earlier probes"],
)
def test_what_the_client_could_not_send_is_no_failure(tags: dict[str, str]) -> None:
    for measurement in ("switchover_requests", "switchover_probes"):
        assert TrafficLines().read(line(5, 3, measurement, **tags)) is None


def test_journals_of_earlier_versions_are_read() -> None:
    assert counted([line(5, 10, outcome="ok")]) == {(5, WEB1): [10, 0, 0]}


def test_what_is_old_is_added_up_and_nothing_is_lost() -> None:
    timeline = Timeline()
    for at_s in range(20_000):
        timeline.count(at_s, at_s % 3, 0, 4)
        timeline.count(at_s, None, 1, 1)
        if at_s % 60 == 0:
            timeline.fold(phase)
    timeline.fold(phase)
    stretches = list(timeline.stretches())
    assert len(stretches) <= KEEP_S + WIDE_LIMIT + 1
    assert sum(stretch.requests[0] for stretch in stretches) == 80_000
    assert sum(stretch.probes[1] for stretch in stretches) == 20_000
    assert sum(counts[0] for stretch in stretches for counts in stretch.by_series.values()) == 80_000
    assert [stretch.width_s for stretch in stretches[-KEEP_S:]] == [1] * KEEP_S
    at_s = 0
    for stretch in stretches:  # one behind the other, none over the border of a phase
        assert stretch.at_s == at_s
        assert phase(stretch.at_s) == phase(stretch.at_s + stretch.width_s - 1)
        at_s += stretch.width_s


def test_a_count_for_a_second_that_was_folded_goes_to_its_stretch() -> None:
    timeline = Timeline()
    for at_s in range(2 * KEEP_S):
        timeline.count(at_s, 0, 0, 1)
    timeline.fold(lambda at_s: "")
    before = len(list(timeline.stretches()))
    timeline.count(100, 0, 0, 5)
    stretches = list(timeline.stretches())
    assert len(stretches) == before
    (wide,) = (stretch for stretch in stretches if stretch.at_s <= 100 < stretch.at_s + stretch.width_s)
    assert wide.requests[0] == wide.width_s + 5


@given(
    st.lists(st.tuples(st.integers(0, 5_000), st.integers(0, 4), st.integers(0, 2), st.integers(1, 9)), max_size=200)
)
def test_a_reader_that_asks_for_changes_knows_what_one_knows_that_asks_for_all(
    counts: list[tuple[int, int, int, int]],
) -> None:
    """As the page does it: a longer stretch takes the place of the seconds within it."""
    timeline, revision = Timeline(), 0
    known: dict[int, tuple[int, list[int]]] = {}
    for at_s, series, outcome, number in counts:
        timeline.count(at_s, series, outcome, number)
        timeline.fold(lambda at_s: "")
        for stretch in timeline.stretches():
            if stretch.revision > revision:
                known = {
                    at: one for at, one in known.items() if not stretch.at_s < at < stretch.at_s + stretch.width_s
                }
                known[stretch.at_s] = (stretch.width_s, list(stretch.requests))
        revision = timeline.revision
    assert known == {one.at_s: (one.width_s, one.requests) for one in timeline.stretches()}


@given(name=st.text(alphabet="ab\\ ,=", max_size=12))
def test_the_series_of_a_line_ends_where_a_full_parser_says_so(name: str) -> None:
    written = line(5, 3, backend=name, label="x")
    assert written.startswith(series_of(written) + " count=3i")
    assert time_ns_of(written) == 5 * SECOND_NS
