"""What the dashboards ask, asked of real databases with the points of real drills: answered, and with the truth."""

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from support.grafana import FOLDER, INFLUXQL_BOARDS, Asked, Json, alert_queries, load, panels, queries, variables
from support.influxdb import InfluxDB, Series
from support.recorded import Recorded, runs
from switchover.rundir.measurements import VERDICT
from switchover.rundir.points import format_point, parse_point

pytestmark = [
    pytest.mark.beside,
    pytest.mark.parametrize("influx", ["1.8", "2.7"], indirect=True, scope="session"),
]

DATABASE = "recorded"
DRILL, HISTORY = (FOLDER / "grafana" / f"switchover-{name}.json" for name in ("drill", "history"))
RUNS = runs()
NOTHING_TO_SHOW = {
    "switchover-drill: Failing now (A)",
    "switchover-fleet: No conclusion (A)",
    "switchover-fleet: Passed (A)",
    "switchover-fleet: Failback by fault (B)",
    "switchover-history: Did not recover (A)",
    "switchover-history: No conclusion (A)",
    "switchover-history: Verdicts in 30 days (C)",
    "switchover-balancers: Nginx requests per second (A)",
    "switchover-balancers: Nginx connections (A)",
    "switchover-balancers: Nginx connections (B)",
    "switchover-balancers: Nginx connections (C)",
    "switchover-balancers: Nginx connections dropped (A)",
}
"""The recorded runs have nothing in the last ten seconds, no limit on failback, and no Nginx."""


@pytest.fixture(scope="session")
def database(influx: InfluxDB) -> InfluxDB:
    influx.create(DATABASE)
    for run in RUNS:
        influx.write(DATABASE, run.points)
        influx.write(DATABASE, told_apart(run))
    return influx


def told_apart(run: Recorded) -> bytes:
    """The point of its verdict with a target and versions, which earlier versions did not write."""
    points = (parse_point(line.decode()) for line in run.points.splitlines())
    (judged,) = (point for point in points if point.measurement == VERDICT)
    fields = {**judged.fields, "target": judged.tags["fault"], "versions": "haproxy 2.6.12, keepalived 2.2.7"}
    return format_point(VERDICT, judged.tags, fields, judged.time_ns).encode()


def ask(server: InfluxDB, asked: Asked, **chosen: str) -> list[Series]:
    """With every variable on All, but for those that are given."""
    return server.query(asked.filled(*window(), everything() | chosen), DATABASE)


@cache
def window() -> tuple[int, int]:
    times = [time for run in RUNS for time in run.times_ms]
    return min(times), max(times)


@cache
def everything() -> dict[str, str]:
    return {name: value for path in INFLUXQL_BOARDS for name, value in variables(load(path)).items()}


@pytest.mark.parametrize("path", INFLUXQL_BOARDS, ids=lambda path: path.stem)
def test_every_query_is_answered_with_something(path: Path, database: InfluxDB) -> None:
    empty = {asked.where for asked in queries(path) if not ask(database, asked)}
    assert empty <= NOTHING_TO_SHOW


def test_every_alert_that_has_a_reason_goes_off_and_no_other(database: InfluxDB) -> None:
    """The lost Keepalived left two masters: that broke the limit on a split brain; both runs can be trusted."""
    fired = {
        (asked.where, *series.tags.values())
        for asked in alert_queries()
        for series in ask(database, asked)
        if series.rows[-1][1] > 0
    }
    assert fired == {
        ("alert A limit is exceeded", "split-brain", RUNS[1].run),
        ("alert Two nodes held the address", "keepalived-kill", RUNS[1].run),
    }


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.verdict["prediction"]["fault"])
def test_the_line_of_the_verdict_says_what_the_verdict_says(run: Recorded, database: InfluxDB) -> None:
    verdict = run.verdict
    phase = verdict["samples"]["by_phase"]["switchover"]
    started, (judged,) = (
        ask(database, Asked("Verdict", target["query"]), run=run.run) for target in panel_of("Verdict")["targets"]
    )
    assert dict(zip(judged.columns[1:], judged.rows[0][1:], strict=True)) == {
        "state": verdict["verdict"],
        "recovered": all(verdict[name]["recovered"] for name in ("outage", "failback")),
        "outage at least": verdict["outage"]["low_ms"],
        "outage at most": verdict["outage"]["high_ms"],
        "predicted at least": verdict["prediction"]["low_ms"],
        "predicted at most": verdict["prediction"]["high_ms"],
        "failback at least": verdict["failback"]["low_ms"],
        "failback at most": verdict["failback"]["high_ms"],
        "failed": pytest.approx(100 * phase["failed"] / phase["total"], abs=0.001),
        "split brain": verdict["split_brain_ms"],
        "unaccounted": verdict["accounting"]["unaccounted"],
    }
    assert all(one.rows[0][0] < judged.rows[0][0] for one in started), "sorted by time, the word comes last"
    assert all(one.rows[0][1] for one in started), "a text that is mapped to running"


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.verdict["prediction"]["fault"])
def test_the_bars_add_up_to_what_the_verdict_counted(run: Recorded, database: InfluxDB) -> None:
    """Points of seconds that a bar stands for: none lost between the intervals, none counted twice."""

    def counted(title: str) -> float:
        asked = [Asked(title, target["query"]) for target in panel_of(title)["targets"]]
        found = [series for one in asked for series in ask(database, one, run=run.run)]
        return float(sum(value for series in found for _, value in series.rows))

    probes, samples = run.verdict["probes"], run.verdict["samples"]
    assert counted("Requests by balancer") == samples["total"]
    assert counted("Requests by backend") == samples["total"] - samples["failed"]
    assert counted("Failed requests by origin of the response") == samples["failed"]
    assert counted("Probes by balancer") == probes["total"]
    assert counted("Failed probes by kind") == probes["failed"]
    assert counted("Failed probes") == probes["failed"]


def test_the_newest_run_of_the_time_range_is_chosen(database: InfluxDB) -> None:
    (asked,) = (one for one in queries(DRILL) if one.where.endswith("variable run"))
    for run in RUNS:
        found = database.query(asked.filled(*run.times_ms, everything()), DATABASE)
        assert {series.column("run")[0] for series in found} == {run.run}
        assert {series.columns for series in found} == {("time", "run")}
    assert {series.column("run")[0] for series in ask(database, asked)} == {max(run.run for run in RUNS)}


def test_the_holders_of_the_address_are_counted_by_node(database: InfluxDB) -> None:
    """The killed Keepalived left two holders for a while; in the plain drill there was at most one."""
    told, held, pulse = (Asked("holders", one["query"]) for one in panel_of("Holders of the address")["targets"])
    most = []
    for run in RUNS:
        by_time: Counter[int] = Counter()
        for asked in (told, held):
            for series in database.query(asked.filled(*run.times_ms, everything() | {"run": run.run}), DATABASE):
                assert list(series.column("time")) == sorted(series.column("time"))
                by_time.update(dict(series.rows))
        alive = database.query(pulse.filled(*run.times_ms, everything() | {"run": run.run}), DATABASE)[0]
        counted = [by_time[time] for time in alive.column("time")]
        assert {value % 10 for value in counted} <= {0, 1, 2}
        most.append(max(counted))
    assert most == [12, 22], "two nodes have told, and so many of them hold it"


def test_labels_are_counted_with_their_errors(database: InfluxDB) -> None:
    for run in RUNS:
        asked = Asked("labels", panel_of("By label")["targets"][0]["query"])
        found = ask(database, asked, run=run.run)
        samples = run.verdict["samples"]
        assert sum(series.column("count")[0] for series in found) == samples["total"]
        assert sum(series.column("errors")[0] for series in found) == samples["failed"]


def test_a_dashboard_shows_the_chosen_run_only(database: InfluxDB) -> None:
    for path in INFLUXQL_BOARDS:
        if "run" not in variables(load(path)):
            continue
        for asked in queries(path):
            if "variable run" not in asked.where:
                for series in ask(database, asked, run=RUNS[0].run):
                    assert RUNS[1].run not in repr(series), asked.where


def test_the_history_of_a_target_is_that_of_its_runs_and_of_all_has_those_without_one(influx: InfluxDB) -> None:
    influx.create("told_apart")
    for run in RUNS:
        influx.write("told_apart", run.points)
    influx.write("told_apart", told_apart(RUNS[0]))
    (asked,) = (one for one in queries(HISTORY) if one.where.endswith("Runs (A)"))
    fault = RUNS[0].verdict["prediction"]["fault"]
    for target, found in ((".*", RUNS), (fault, RUNS[:1]), (r"(10\.0\.0\.5|http:\/\/b)", ())):
        answer = influx.query(asked.filled(*window(), everything() | {"target": target}), "told_apart")
        assert sorted(series.tags["run"] for series in answer) == sorted(run.run for run in found)


def test_where_nothing_was_streamed_nothing_is_shown_and_nothing_fails(influx: InfluxDB) -> None:
    influx.create("empty")
    for asked in (*alert_queries(), *(asked for path in INFLUXQL_BOARDS for asked in queries(path))):
        assert influx.query(asked.filled(0, 1_000_000, everything()), "empty") == [], asked.where


def panel_of(title: str) -> Json:
    """A panel of Drill."""
    (panel,) = (one for one in panels(load(DRILL)) if one["title"] == title)
    return panel
