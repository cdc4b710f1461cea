"""What the dashboards ask, asked of real databases with the points of real drills: answered, and with the truth."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from support.grafana import BOARDS, FOLDER, Asked, alert_queries, load, panels, queries, variables
from support.influxdb import InfluxDB, Series
from support.recorded import Recorded, runs

pytestmark = [
    pytest.mark.integration,
    pytest.mark.beside,
    pytest.mark.parametrize("influx", ["1.8", "2.7"], indirect=True, scope="session"),
]

DATABASE = "recorded"
RUNS = runs()
NOTHING_TO_SHOW = {
    "switchover-drill: Requests by balancer (B)",
    "switchover-drill: Requests by backend (B)",
    "switchover-fleet: Not trusted (A)",
    "switchover-fleet: Failback by fault (B)",
    "switchover-balancers: Nginx requests per second (A)",
    "switchover-balancers: Nginx connections (A)",
    "switchover-balancers: Nginx connections (B)",
    "switchover-balancers: Nginx connections (C)",
    "switchover-balancers: Nginx connections dropped (A)",
}
"""Late requests, an untrusted run, a budget on failback, Nginx as the balancer: the recorded runs have none."""


@pytest.fixture(scope="session")
def database(influx: InfluxDB) -> InfluxDB:
    influx.create(DATABASE)
    for run in RUNS:
        influx.write(DATABASE, run.points)
    return influx


def ask(server: InfluxDB, asked: Asked, **chosen: str) -> list[Series]:
    """With every variable on All, but for those that are given."""
    return server.query(asked.filled(*window(), everything() | chosen), DATABASE)


@cache
def window() -> tuple[int, int]:
    times = [time for run in RUNS for time in run.times_ms]
    return min(times), max(times)


@cache
def everything() -> dict[str, str]:
    return {name: value for path in BOARDS for name, value in variables(load(path)).items()}


@pytest.mark.parametrize("path", BOARDS, ids=lambda path: path.stem)
def test_every_query_is_answered_with_something(path: Path, database: InfluxDB) -> None:
    empty = {asked.where for asked in queries(path) if not ask(database, asked)}
    assert empty <= NOTHING_TO_SHOW


def test_every_alert_that_has_a_reason_goes_off_and_no_other(database: InfluxDB) -> None:
    """The lost Keepalived left two masters: that broke the budget on a split brain; both runs can be trusted."""
    fired = {
        (asked.where, *series.tags.values())
        for asked in alert_queries()
        for series in ask(database, asked)
        if series.rows[-1][1] > 0
    }
    assert fired == {
        ("alert A budget is broken", "split-brain", RUNS[1].run),
        ("alert Two nodes held the address", "keepalived-kill", RUNS[1].run),
    }


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.verdict["prediction"]["fault"])
def test_the_line_of_the_verdict_says_what_the_verdict_says(run: Recorded, database: InfluxDB) -> None:
    verdict = run.verdict
    shown = {
        panel["title"]: [
            told(series)
            for target in panel["targets"]
            for series in ask(database, Asked(panel["title"], target["query"]), run=run.run)
        ]
        for panel in panels(load(FOLDER / "grafana" / "switchover-drill.json"))
        if "switchover_verdict" in panel["targets"][0]["query"]
    }
    phase = verdict["samples"]["by_phase"]["switchover"]
    share = 100 * phase["failed"] / phase["total"]
    assert shown == {
        "Verdict": [verdict["exit_code"]],
        "Outage": [verdict["outage"]["high_ms"]],
        "Predicted outage": [verdict["prediction"]["low_ms"], verdict["prediction"]["high_ms"]],
        "Failback": [verdict["failback"]["high_ms"]],
        "Failed in the switchover": [pytest.approx(share, abs=0.001)],
        "Split brain": [verdict["split_brain_ms"]],
        "Unexplained": [verdict["reconciliation"]["unexplained"]],
    }


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.verdict["prediction"]["fault"])
def test_the_bars_add_up_to_what_the_verdict_counted(run: Recorded, database: InfluxDB) -> None:
    """Points of seconds that a bar stands for: none lost between the intervals, none counted twice."""
    board = load(FOLDER / "grafana" / "switchover-drill.json")

    def counted(title: str) -> float:
        (panel,) = (one for one in panels(board) if one["title"] == title)
        asked = [Asked(title, target["query"]) for target in panel["targets"]]
        found = [series for one in asked for series in ask(database, one, run=run.run)]
        return float(sum(value for series in found for _, value in series.rows))

    probes, samples = run.verdict["probes"], run.verdict["samples"]
    # Requests that Locust cut off at its end are no user's failure to the verdict; to its points they failed.
    cut_off = samples["generator_errors"]
    assert counted("Requests by balancer") == samples["total"] + cut_off
    assert counted("Requests by backend") == samples["total"] + cut_off
    assert counted("Failed requests by who answered") == samples["failed"] + cut_off
    assert counted("Probes by balancer") == probes["total"]
    assert counted("Failed probes by kind") == probes["failed"]
    assert counted("Probes lost so far") == probes["failed"]


def test_a_dashboard_shows_the_chosen_run_only(database: InfluxDB) -> None:
    for path in BOARDS:
        if "run" not in variables(load(path)):
            continue
        for asked in queries(path):
            if "variable run" not in asked.where:
                for series in ask(database, asked, run=RUNS[0].run):
                    assert RUNS[1].run not in repr(series), asked.where


def test_where_nothing_was_streamed_nothing_is_shown_and_nothing_fails(influx: InfluxDB) -> None:
    influx.create("empty")
    for asked in (*alert_queries(), *(asked for path in BOARDS for asked in queries(path))):
        assert influx.query(asked.filled(0, 1_000_000, everything()), "empty") == [], asked.where


def told(series: Series) -> Any:
    """What a panel shows of one row."""
    (row,) = series.rows
    return row[1]
