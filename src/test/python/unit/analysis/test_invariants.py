"""What must be true of every run, rule by rule, and the words in which it is told that it is not."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import pytest

from support.request_tables import changed, samples_of
from switchover.analysis import invariants
from switchover.analysis.flaws import Flaw
from switchover.analysis.invariants import OF_SCHEMA, Violation, find_violations
from switchover.analysis.run_data import RunData
from switchover.analysis.verdict import Verdict, judge
from switchover.analysis.verdict_json import to_json
from switchover.rundir.journal import JournalRecord
from switchover.rundir.points import Point
from switchover.rundir.run_records import ProbeAccount, WorkerFacts
from switchover.verdict.reasons import make_reason
from synthetic import FIRED, HEAL, SECOND, drill, sample

SAMPLES = tuple(sample(at, at + 300, intended_us=None, stream="", thread="t") for at in range(0, 4 * SECOND, SECOND))


def traffic(measurement: str, count: Any) -> Point:
    return Point(measurement, {"outcome": "good"}, {"count": count}, 0)


drilled = cache(partial(drill, samples=SAMPLES))


def a_run(**facts: Any) -> RunData:
    """A drill with a load, of which everything was counted by everyone."""
    data = drilled()
    data = replace(data, run=replace(data.run))
    data.run.generator = ProbeAccount.of({"scheduled": 3_005, "recorded": 3_000, "unsent": 5})
    data.run.workers = [WorkerFacts(worker="1", samples=3), WorkerFacts(worker="2", samples=1)]
    counted = [
        traffic("switchover_probes", 2_999),
        traffic("switchover_probes", 1),
        traffic("switchover_probes", "x"),
    ]
    counted += [traffic("switchover_requests", 4), traffic("switchover_users", 7)]
    return replace(data, points=[*data.points, *counted], **facts)


def violations(
    data: RunData, *records: JournalRecord, kept: Mapping[str, Any] | None = None
) -> list[tuple[str, str]]:
    found = list(find_violations(data, records, json.dumps(kept).encode() if kept else None))
    assert all(isinstance(one, Violation) for one in found)
    return [(one.invariant, one.text) for one in found]


def test_of_a_whole_run_all_holds() -> None:
    assert violations(a_run()) == []


def test_flaws_missing_files_and_what_was_not_understood_are_told_in_this_order() -> None:
    reason = make_reason("file_damaged", name="a.lp", what="a.lp was cut off")
    data = a_run(flaws=(Flaw("a.lp", reason),), missing=("b.jtl",), unread=("half of it was not understood",))
    invariant = "files are as the run left them"
    assert violations(data) == [
        (invariant, reason.text),
        (invariant, "b.jtl is missing"),
        (invariant, "half of it was not understood"),
    ]


@pytest.mark.parametrize(
    ("times", "text"),
    [
        ({"fired_from_us": -1_234}, "fired_from_us is 1,234 µs before start_us"),
        ({"fired_to_us": FIRED - 5}, "fired_to_us is 5 µs before fired_from_us"),
        ({"heal_from_us": FIRED, "fired_to_us": None}, None),
        ({"heal_from_us": FIRED - 1, "fired_to_us": None}, "heal_from_us is 1 µs before fired_from_us"),
        ({"heal_to_us": HEAL - 1_000}, "heal_to_us is 1,000 µs before heal_from_us"),
        ({"heal_to_us": HEAL}, None),
        ({"end_us": -2_000}, "the run ends 2,000 µs before its start"),
        ({"end_us": 0}, None),
        ({"end_us": None}, None),
        ({"start_us": None, "end_us": -5}, None),
    ],
)
def test_times_of_the_plan_are_in_order(times: dict[str, Any], text: str | None) -> None:
    data = a_run()
    data.run.plan = replace(data.run.plan, **times)
    assert violations(data) == ([("the plan's times are in order", text)] if text else [])


def test_each_slot_of_the_schedule_has_a_row_but_for_those_that_a_full_disk_has_cost() -> None:
    data = a_run()
    fewer = changed(data, probes=samples_of(data.probes)[:-1_000])
    counted = "the prober counted 3,000 probes, against 2,000 in probes.jtl"
    journals = "the journals counted 3,000 probes, against 2,000 in probes.jtl"
    slots = "slots of the schedule, fresh connections: 2,000 rows for 3,000, 1,000 of them wrong"
    assert violations(fewer) == [
        ("the schedule is complete", slots),
        ("files count the same", counted),
        ("files count the same", journals),
    ]
    lost = {"scheduled": 3_005, "recorded": 3_000, "unsent": 5}
    data.run.generator = ProbeAccount.of({**lost, "lost": 1_000})
    assert violations(fewer) == []
    one = "slots of the schedule, fresh connections: 2,999 rows for 3,000, 1 of them wrong"
    assert violations(changed(a_run(), probes=samples_of(data.probes)[:-1]))[0] == ("the schedule is complete", one)
    data.run.generator = ProbeAccount.of({**lost, "lost": 999})
    assert [invariant for invariant, _ in violations(fewer)] == [
        "the schedule is complete",
        "files count the same",
        "files count the same",
    ]


def test_samples_are_counted_by_the_load_and_in_the_journals() -> None:
    data = a_run()
    more = changed(data, samples=[*SAMPLES, SAMPLES[0]._replace(thread="u")] * 1_000)
    assert violations(more) == [
        ("files count the same", "the load counted 4 samples, against 5,000 in the sample logs"),
        ("files count the same", "the journals counted 4 samples, against 5,000 in the sample logs"),
    ]
    data.run.workers = [WorkerFacts(worker="1", samples=3, lost=1), WorkerFacts(worker="2", samples=2)]
    assert violations(data) == [
        ("files count the same", "the journals counted 4 samples, against 5 in the sample logs"),
    ]
    data.run.workers = [WorkerFacts(worker="1"), WorkerFacts(worker="2", samples=1)]
    assert violations(data) == []
    data.run.workers = []
    assert violations(more) == []
    assert violations(changed(a_run(), samples=[])) == [
        ("files count the same", "the load counted 4 samples, against 0 in the sample logs")
    ]
    nothing = changed(a_run(), probes=[])
    nothing.run.generator = ProbeAccount()
    assert violations(nothing) == []


def point(measurement: str, time_ns: int, **tags: str) -> Point:
    return Point(measurement, tags, {"x": 1}, time_ns)


def test_points_of_one_source_go_forward_and_the_first_that_does_not_is_told() -> None:
    def said(*points: Point, other: Sequence[Point] = (point("switchover_haproxy", 1, node="lb1"),)) -> list[str]:
        journals = {"journal.lp": points, "other.lp": tuple(other)}
        found = violations(a_run(), *(JournalRecord(name, of, is_sealed=True) for name, of in journals.items()))
        assert {invariant for invariant, _ in found} <= {"journals go forward in time"}
        return [text for _, text in found]

    forward = [point("switchover_haproxy", at, node="lb1") for at in (5_000_000, 5_000_000, 9_000_000)]
    assert said(*forward) == []
    back = [*forward, point("switchover_haproxy", 7_765_432, node="lb1"), point("switchover_haproxy", 0, node="lb1")]
    assert said(*back) == ["journal.lp: switchover_haproxy of lb1 goes back 1.235 ms"]
    assert said(*forward, point("switchover_haproxy", 1, node="lb2"), point("switchover_nginx", 1, node="lb1")) == []
    assert said(point("switchover_machine", 2_000_000), point("switchover_machine", 1_000_000)) == [
        "journal.lp: switchover_machine of ? goes back 1.000 ms"
    ]
    backwards = [point("switchover_nginx", at, node="web1") for at in (5_000_000_000, 0)]
    assert said(*back, other=backwards) == [
        "journal.lp: switchover_haproxy of lb1 goes back 1.235 ms",
        "other.lp: switchover_nginx of web1 goes back 5000.000 ms",
    ]
    for free in ("probes", "requests", "users", "event", "vrrp"):
        assert said(point(f"switchover_{free}", 2), point(f"switchover_{free}", 1), *back) == [
            "journal.lp: switchover_haproxy of lb1 goes back 1.235 ms"
        ]


@cache
def judged() -> tuple[RunData, Verdict]:
    data = a_run()
    return data, judge(data)


@pytest.fixture
def kept_run(monkeypatch: pytest.MonkeyPatch) -> tuple[RunData, dict[str, Any]]:
    """A run and its verdict.json; it is judged once for all tests."""
    data, verdict = judged()
    monkeypatch.setattr(invariants, "judge", lambda asked: verdict if asked is data else judge(asked))
    return data, json.loads(json.dumps(to_json(verdict)))


OF_WORD, OF_INTERVALS = "the word follows from the reasons", "intervals hold what they are of"
OF_FIGURES = "verdict.json says what the other files say"
NONE: list[tuple[str, str]] = []


def reasons(*codes: str) -> dict[str, Any]:
    return {"reasons": [{"code": code, "figures": {}, "text": "x"} for code in codes]}


def another(name: str) -> tuple[str, str]:
    return OF_FIGURES, f"{name} is another one there: 'switchover report' makes it again"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, NONE),
        ({"schema": 1}, [(OF_SCHEMA, "Invalid enum value 1 - at `$.schema`: 'switchover report' makes it again")]),
        ({"run": "other"}, [(OF_SCHEMA, "verdict.json is of run other, run.json of 20240101T000000Z-test")]),
        (reasons("x", "y"), [(OF_WORD, "x is no reason")]),
        (reasons("stopped"), [(OF_WORD, "the word is MEASURED, and its reasons lead to STOPPED")]),
        ({"verdict": "STOPPED", "exit_code": 2} | reasons("stopped", "file_damaged"), NONE),
        ({"verdict": "STOPPED", "exit_code": 2}, [(OF_WORD, "the word is STOPPED, and no reason leads to it")]),
        ({"verdict": "PASSED"}, NONE),
        ({"exit_code": 1}, [(OF_WORD, "the exit code of MEASURED is 0, and 1 stands there")]),
        ({"outage": None}, [another("outage")]),
        ({"failback": None, "split_brain": None}, [another("failback"), another("split_brain")]),
        ({"probes": None}, [another("probes")]),
    ],
)
def test_a_kept_verdict_is_held_against_itself_and_against_the_run(
    change: dict[str, Any], expected: list[tuple[str, str]], kept_run: tuple[RunData, dict[str, Any]]
) -> None:
    data, kept = kept_run
    assert violations(data, kept=kept | change) == expected


def test_no_interval_is_upside_down(kept_run: tuple[RunData, dict[str, Any]]) -> None:
    data, kept = kept_run
    kept["outage"] = kept["outage"] | {"low_ms": 9e6}
    place = f"outage goes from 9000000.0 to {kept['outage']['high_ms']}"
    assert violations(data, kept=kept) == [(OF_INTERVALS, place), another("outage")]


def test_a_kept_verdict_hides_nothing_of_the_other_files(kept_run: tuple[RunData, dict[str, Any]]) -> None:
    data, kept = kept_run
    found = violations(replace(data, missing=("b.jtl",)), kept=kept | {"exit_code": 1})
    assert [invariant for invariant, _ in found] == ["files are as the run left them", OF_WORD]
