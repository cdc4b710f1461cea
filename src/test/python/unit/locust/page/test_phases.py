"""The phases of a run so far, to the second."""

from switchover.locust.page.events import EventHistory, marks_of
from switchover.locust.page.phases import LivePhase, Moments, counts_by_phase, phase_at, phases_so_far
from switchover.locust.page.timeline import Timeline
from switchover.rundir.points import Point

OK, FAILED, LATE = 0, 1, 2


def probed(until_s: int, bad: dict[int, int] | None = None, outcome: int = FAILED) -> Timeline:
    """100 probes a second from second 0 on; in some seconds so many of them were impaired."""
    timeline = Timeline()
    for at_s in range(until_s):
        impaired = (bad or {}).get(at_s, 0)
        timeline.count(at_s, None, OK, 100 - impaired)
        if impaired:
            timeline.count(at_s, None, outcome, impaired)
    return timeline


def named(phases: list[LivePhase]) -> list[tuple[str, int, int | None]]:
    return [(phase.name.value, phase.from_s, phase.to_s) for phase in phases]


FIRED = Moments(start_us=0, fired_us=10_400_000)
HEALED = Moments(start_us=0, fired_us=10_400_000, heal_us=30_700_000)


def test_before_a_fault_all_is_baseline() -> None:
    assert named(phases_so_far(probed(9), Moments(start_us=0))) == [("baseline", 0, None)]
    assert phases_so_far(probed(9), Moments()) == []


def test_the_switchover_goes_on_until_a_clean_window_has_lasted() -> None:
    bad = {10: 60, 11: 100, 12: 100, 13: 20}
    assert named(phases_so_far(probed(18, bad), FIRED)) == [("baseline", 0, 10), ("switchover", 10, None)]
    assert named(phases_so_far(probed(19, bad), FIRED)) == [
        ("baseline", 0, 10),
        ("switchover", 10, 14),
        ("on_backup", 14, None),
    ]


def test_late_answers_are_no_clean_ones() -> None:
    assert named(phases_so_far(probed(16, {13: 1}, LATE), FIRED))[-1] == ("switchover", 10, None)


def test_where_nothing_was_impaired_the_switchover_is_the_time_for_which_it_was_watched() -> None:
    phases = phases_so_far(probed(20), FIRED)
    assert named(phases) == [("baseline", 0, 10), ("switchover", 10, 15), ("on_backup", 15, None)]
    assert not any(phase.clean for phase in phases)


def test_a_second_in_which_nothing_ended_is_not_clean() -> None:
    timeline = Timeline()
    for at_s in [*range(11), *range(14, 18)]:
        timeline.count(at_s, None, OK, 100)
    assert named(phases_so_far(timeline, FIRED))[-1] == ("switchover", 10, None)


def test_without_probes_the_requests_tell() -> None:
    timeline = Timeline()
    for at_s in range(20):
        timeline.count(at_s, 0, FAILED if at_s in (10, 11) else OK, 5)
    assert named(phases_so_far(timeline, FIRED))[1:] == [("switchover", 10, 12), ("on_backup", 12, None)]


def test_the_way_back_has_its_phases_too() -> None:
    phases = phases_so_far(probed(45, {10: 60, 11: 9, 33: 1}), HEALED)
    assert named(phases) == [
        ("baseline", 0, 10),
        ("switchover", 10, 12),
        ("on_backup", 12, 30),
        ("failback", 30, 34),
        ("recovered", 34, None),
    ]
    assert [phase_at(phases, at_s) for at_s in (-5, 9, 10, 29, 30, 99)] == [
        *("baseline", "baseline", "switchover", "on_backup", "failback", "recovered"),
    ]
    counts = counts_by_phase(probed(45, {10: 60, 11: 9, 33: 1}), phases)
    assert counts["switchover"] == ([0, 0, 0], [131, 69, 0])
    assert sum(sum(probes) for _, probes in counts.values()) == 4500


def test_a_heal_ends_a_switchover_that_never_became_clean() -> None:
    bad = dict.fromkeys(range(10, 31), 100)
    assert named(phases_so_far(probed(31, bad), HEALED)) == [
        *(("baseline", 0, 10), ("switchover", 10, 30), ("failback", 30, None)),
    ]


NODES = [
    {"node": "lb1", "holds": [[0, 13_000_000], [33_000_000, 45_000_000]]},
    {"node": "lb2", "holds": [[13_000_000, 33_000_000]]},
]


def marks(history: EventHistory, *, judged: bool) -> list[tuple[str, int, bool]]:
    phases = phases_so_far(probed(45, {10: 60, 11: 9}), HEALED)
    found = marks_of(HEALED, history, NODES, phases, judged=judged)
    return [(mark["kind"], mark["at_us"], mark["provisional"]) for mark in found]


def test_the_timeline_marks_fault_election_recovery_heal_and_return() -> None:
    assert marks(EventHistory(), judged=False) == [
        ("fault", 10_400_000, False),
        ("good", 12_000_000, True),
        ("election", 13_000_000, False),
        ("heal", 30_700_000, False),
        ("return", 33_000_000, False),
    ]


def test_what_the_analysis_found_takes_the_place_of_what_was_provisional() -> None:
    history = EventHistory()
    history.read(Point("switchover_event", {"kind": "first_success"}, {"text": "found"}, 11_700_000_000))
    assert ("good", 11_700_000, False) in marks(history, judged=True)
    assert not any(provisional for *_, provisional in marks(history, judged=True))
    assert [kind for kind, *_ in marks(EventHistory(), judged=True)] == ["fault", "election", "heal", "return"]


def test_a_storm_of_events_pushes_out_no_first_one() -> None:
    history = EventHistory()
    for number in range(5000):
        kind = "fault" if number == 3 else "warning"
        history.read(Point("switchover_event", {"kind": kind}, {"text": "x" * 5000}, number * 1000))
    assert history.first_us("fault") == 3
    assert len(history.listed()) == 200
    assert max(len(event.text) for event in history.listed()) == 300
    assert history.listed()[-1].at_us == 4999
