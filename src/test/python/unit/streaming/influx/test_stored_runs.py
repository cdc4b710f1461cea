"""The runs of a database, listed by the points of their verdicts and of their first events."""

import json
from typing import Any, cast

import pytest

from support.kept_runs import kept_run
from switchover.report.verdict_points import write_verdict_points
from switchover.rundir.journal import read_journal
from switchover.rundir.measurements import VERDICT
from switchover.rundir.points import Point
from switchover.rundir.run_directory import read_run
from switchover.streaming.influx.database_client import (
    DatabaseClient,
    StoredRun,
    StoredSeries,
    count_points,
    stored_runs,
)

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


def listed(**found: list[StoredSeries]) -> list[StoredRun]:
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
    assert (entry.run, entry.status, entry.start_us) == ("one", "MEASURED", AT_NS // 1000)
    assert entry.what == "node-down"


def test_of_two_verdicts_the_last_counts(verdict: Point) -> None:
    earlier = {"time": verdict.time_ns - 1, **verdict.fields, "verdict": "INVALID"}
    later = series_of(verdict, "one")
    (entry,) = listed(verdicts=[StoredSeries(VERDICT, later.tags, [earlier, *later.rows])])
    assert entry.status == "MEASURED"


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
