"""The runs of a database, listed by the points of their verdicts and of their first events."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from support.kept_runs import kept_run
from switchover.analysis.history.entry import DAMAGED, Entry, Length, entry_of
from switchover.report.verdict_points import verdict_lines, write_verdict_points
from switchover.rundir.journal import read_journal
from switchover.rundir.measurements import VERDICT
from switchover.rundir.points import Point, parse_point
from switchover.rundir.run_directory import read_run, run_json
from switchover.streaming.influx.database_client import DatabaseClient, StoredSeries
from switchover.streaming.influx.stored_runs import count_points, stored_runs
from switchover.verdict.record import Verdict

VERDICTS = 'SELECT * FROM "switchover_verdict" GROUP BY "run", "fault"'
BEGAN = 'SELECT first("text") FROM "switchover_event" GROUP BY "run"'
AT_NS = 1_700_000_000_123_456_789


class Answers:
    """By query, what the database says; it is asked for nothing else."""

    def __init__(self, **found: list[StoredSeries]) -> None:
        self._found = {VERDICTS: found.get("verdicts", []), BEGAN: found.get("began", [])}
        self._counts = found.get("counts", [])

    def query(self, influxql: str) -> list[StoredSeries]:
        if influxql == "SELECT count(*) FROM /^switchover_/ WHERE \"run\" = 'it\\'s'":
            return self._counts
        return self._found[influxql]


def listed(**found: list[StoredSeries]) -> list[Entry]:
    return stored_runs(cast(DatabaseClient, Answers(**found)))


@pytest.fixture(scope="module")
def verdict(tmp_path_factory: pytest.TempPathFactory) -> Point:
    """Of a real run, the last one."""
    directory = kept_run("node-down", tmp_path_factory.mktemp("kept"))
    write_verdict_points(directory, read_run(directory), json.loads((directory / "verdict.json").read_bytes()))
    points = list(read_journal([directory / "journal-verdict.lp"]))
    return [point for point in points if point.measurement == VERDICT][-1]


def series_of(verdict: Point, run: str, **fields: Any) -> StoredSeries:
    row = {"time": verdict.time_ns, "unknown": None, **verdict.fields, **fields}
    return StoredSeries(VERDICT, {**verdict.tags, "run": run}, [row])


def began(run: str, at_ns: int) -> StoredSeries:
    return StoredSeries("switchover_event", {"run": run}, [{"time": at_ns, "first": "x"}])


def test_each_run_has_the_word_of_its_verdict_and_the_time_of_its_first_event(verdict: Point) -> None:
    (entry,) = listed(verdicts=[series_of(verdict, "one")], began=[began("one", AT_NS)])
    assert (entry.run, entry.word, entry.start_us) == ("one", "MEASURED", AT_NS // 1000)
    assert (entry.path, entry.what, entry.setting) == ("one", "node-down", "")


def test_a_run_without_an_event_began_when_it_was_judged(verdict: Point) -> None:
    (entry,) = listed(verdicts=[series_of(verdict, "one")])
    assert (entry.start_us, type(entry.start_us)) == (verdict.time_ns // 1000, int)


def test_a_run_without_a_verdict_is_listed_too(verdict: Point) -> None:
    (entry,) = listed(began=[began("one", AT_NS)])
    assert (entry.run, entry.word, entry.start_us) == ("one", "not judged", AT_NS // 1000)


def test_the_oldest_is_first_and_of_one_moment_they_are_in_the_order_of_their_names(verdict: Point) -> None:
    runs = listed(
        verdicts=[series_of(verdict, "c")],
        began=[began("d", AT_NS), began("b", AT_NS), began("c", AT_NS + 10**9), began("a", AT_NS - 10**9)],
    )
    assert [entry.run for entry in runs] == ["a", "b", "d", "c"]


def test_of_two_verdicts_the_last_counts(verdict: Point) -> None:
    earlier = {"time": verdict.time_ns - 1, **verdict.fields, "word": "NOT TRUSTED"}
    later = series_of(verdict, "one")
    (entry,) = listed(verdicts=[StoredSeries(VERDICT, later.tags, [earlier, *later.rows])])
    assert entry.word == "MEASURED"


def test_a_run_whose_points_are_none_of_ours_is_damaged_and_hides_no_other(verdict: Point) -> None:
    odd, good = listed(verdicts=[series_of(verdict, "a", word="../x"), series_of(verdict, "b")])
    assert (odd.run, odd.path, odd.word, odd.start_us) == ("a", "a", DAMAGED, verdict.time_ns // 1000)
    assert type(odd.start_us) is int
    assert odd.damage == "its word is '../x', and that is none"
    assert good.word == "MEASURED"
    (odd,) = listed(verdicts=[series_of(verdict, "a", word="../x")], began=[began("a", AT_NS)])
    assert (odd.start_us, type(odd.start_us)) == (AT_NS // 1000, int)


@pytest.mark.parametrize("name", ["node-down", "partition"])
def test_a_run_is_listed_as_its_own_directory_is(name: str, tmp_path: Path) -> None:
    directory = kept_run(name, tmp_path)
    run, verdict = read_run(directory), json.loads((directory / "verdict.json").read_bytes())
    line = next(line for line in verdict_lines(run, verdict) if line.startswith(VERDICT))
    (found,) = listed(verdicts=[series_of(parse_point(line), run.id)], began=[began(run.id, AT_NS)])
    own = entry_of("x", run_json(run), msgspec.convert(verdict, Verdict))
    for what in (
        "run",
        "target",
        "what",
        "word",
        "trusted",
        "failed",
        "total",
        "predicted_high_ms",
        "split_brain_ms",
    ):
        assert getattr(found, what) == getattr(own, what), what
    for length, other in ((found.outage, own.outage), (found.failback, own.failback)):
        assert length is not None and other is not None
        assert replace(length, kind="", resolution_ms=0) == replace(other, kind="", resolution_ms=0)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"word": "", "exit_code": 0}, {"word": "not judged", "trusted": False}),
        (
            {"word": "PASSED", "trusted": "yes", "probes": 1.5, "split_brain_ms": "none"},
            {"trusted": False, "total": None},
        ),
        (
            {"word": "PASSED", "outage_low_ms": 3.0, "outage_high_ms": 2.0},
            {"damage": "its outage goes from 3.0 to 2.0 ms"},
        ),
        ({"word": "NOT RECOVERED", "outage_low_ms": 9.0}, {"outage": Length("", 9.0, None, 0.0, True, False)}),
        (
            {"word": "PASSED", "outage_low_ms": 0.0, "outage_high_ms": 2.0},
            {"outage": Length("none", 0, 2, 2, False, True)},
        ),
        (
            {"word": "NOT RECOVERED", "recovered": False, "outage_low_ms": 5.0, "outage_high_ms": 9.0},
            {"outage": Length("", 5.0, 9.0, 0.0, False, False), "failback": None},
        ),
    ],
)
def test_fields_that_are_missing_or_of_another_type_are_unknown(
    fields: dict[str, Any], expected: dict[str, Any]
) -> None:
    (entry,) = listed(verdicts=[StoredSeries(VERDICT, {"run": "one"}, [{"time": AT_NS, **fields}])])
    assert {name: getattr(entry, name) for name in expected} == expected


def test_points_of_no_run_are_one_without_a_name(verdict: Point) -> None:
    nameless = StoredSeries("switchover_event", {}, [{"time": AT_NS, "first": "x"}])
    (entry,) = listed(began=[nameless])
    assert (entry.run, entry.start_us) == ("", AT_NS // 1000)
    tags = {name: value for name, value in verdict.tags.items() if name != "run"}
    (entry,) = listed(verdicts=[StoredSeries(VERDICT, tags, series_of(verdict, "").rows)])
    assert (entry.run, entry.word) == ("", "MEASURED")


def test_points_are_counted_by_the_field_that_most_of_them_have() -> None:
    counts = [
        StoredSeries("switchover_request", {}, [{"time": 99, "count_ok": 3, "count_ms": 5}]),
        StoredSeries("switchover_event", {}, [{"time": 99, "count_text": 2, "count_more": None}]),
        StoredSeries("switchover_empty", {}, []),
    ]
    assert count_points(cast(DatabaseClient, Answers(counts=counts)), "it's") == 7
    nothing = [StoredSeries("switchover_event", {}, [{"time": 99, "count_text": None}])]
    assert count_points(cast(DatabaseClient, Answers(counts=nothing)), "it's") == 0
    assert count_points(cast(DatabaseClient, Answers()), "it's") == 0
