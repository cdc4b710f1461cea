"""The tables for a spreadsheet: complete, and harmless in it."""

import csv
import io
from pathlib import Path

import pytest

from switchover.analysis.verdict import judge
from switchover.analysis.verdict_json import to_json
from switchover.locust.page.csv_tables import phases_table, seconds_table
from switchover.locust.page.live_run import LiveRun
from switchover.rundir.points import format_point
from synthetic import drill


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def live(tmp_path: Path) -> LiveRun:
    live = LiveRun(lambda: 20_000_000)
    live.begin(tmp_path)
    for at_s, count, backend, outcome in ((11, 5, "web1", "good"), (11, 1, "web1", "late"), (12, 3, "=2+3", "good")):
        tags = {"answered_by": "backend", "balancer": "lb1", "backend": backend, "outcome": outcome}
        live.add_lines([format_point("switchover_requests", tags, {"count": count}, at_s * 1_000_000_000)])
    live.advance()
    return live


def test_a_line_for_each_second_and_who_answered_in_it(live: LiveRun) -> None:
    found = rows(seconds_table(live))
    assert [(row["epoch_s"], row["backend"], row["good"], row["late"]) for row in found] == [
        ("11", "web1", "5", "1"),
        ("12", "'=2+3", "3", "0"),
    ]
    assert found[0]["utc"] == "1970-01-01T00:00:11Z"
    assert (found[0]["seconds"], found[0]["phase"], found[0]["balancer"]) == ("1", "baseline", "lb1")


def test_shares_so_far_by_phase(live: LiveRun) -> None:
    found = {
        (row["kind"], row["name"]): (row["count"], row["share"], row["source"]) for row in rows(phases_table(live))
    }
    assert found == {
        ("backend", "web1"): ("6", "0.666667", "so far"),
        ("backend", "'=2+3"): ("3", "0.333333", "so far"),
        ("balancer", "lb1"): ("9", "1.000000", "so far"),
    }


def test_the_verdicts_shares_once_there_is_one(live: LiveRun) -> None:
    verdict = to_json(judge(drill()))
    live.end(verdict)
    found = rows(phases_table(live))
    assert {row["source"] for row in found} == {"verdict"}
    baseline = verdict["distribution"]["by_phase"]["baseline"]["backends"]
    assert {
        row["name"]: int(row["count"]) for row in found if (row["phase"], row["kind"]) == ("baseline", "backend")
    } == {name: counted["count"] for name, counted in baseline.items()}
