"""The verdict as points: the vectors that hold both languages, and the file that they are kept in."""

from pathlib import Path
from typing import Any

import pytest

from support.contract import named
from switchover.report.verdict_points import verdict_lines, write_verdict_points
from switchover.rundir.points import parse_point
from switchover.rundir.run_directory import VERDICT_JOURNAL, FaultRun, Plan, Run
from switchover.rundir.run_records import RunSettings, TargetFacts
from switchover.rundir.sent_offset import Sent, sent_path, write_sent


def run_of(case: dict[str, Any]) -> Run:
    return Run(
        id=case["run"],
        name="n",
        versions=case.get("versions", {}),
        target=TargetFacts.of(case.get("target", {})),
        change=FaultRun(name=case["change"], kind="change") if case.get("change") else None,
        settings=RunSettings.of({"generator": case["generator"]}),
        plan=Plan(start_us=case["start_us"], end_us=case["end_us"]),
        fault=None if case["fault"] is None else FaultRun(name=case["fault"], kind="master"),
    )


@pytest.mark.parametrize("case", named("verdict_points.json", "cases"))
def test_verdict_is_written_as_agreed(case: dict[str, Any]) -> None:
    lines = verdict_lines(run_of(case), case["verdict"])
    assert lines == case["lines"]
    for line in lines:
        parse_point(line)


def test_a_new_judgement_takes_the_place_of_the_old_one_and_is_sent_again(tmp_path: Path) -> None:
    journal = tmp_path / VERDICT_JOURNAL
    run = Run(id="r", name="n", plan=Plan(end_us=1))
    write_verdict_points(tmp_path, run, {"verdict": "PASSED", "valid": True})
    write_sent(journal, Sent("http://influx:8086?db=d", offset=10, points=1, refused=0))
    write_verdict_points(tmp_path, run, {"verdict": "FAILED", "valid": True})
    assert not sent_path(journal).exists()
    assert [parse_point(line).fields["verdict"] for line in journal.read_text().splitlines()] == ["FAILED"]


def test_the_first_bad_probe_and_the_end_of_each_outage_are_events() -> None:
    run = Run(id="r", name="n", plan=Plan(end_us=9))
    outage = {"from_us": 1_000, "to_us": 51_000, "first_bad_us": 2_000, "censored": False}
    failback = outage | {"from_us": 60_000, "first_bad_us": 70_000, "to_us": 90_500, "censored": True}
    assert verdict_lines(run, {"outage": outage, "failback": failback})[-3:] == [
        'switchover_event,kind=first_failure,run=r text="50.000 ms without a lasting good response" 2000000',
        'switchover_event,kind=first_success,run=r text="50.000 ms without a lasting good response" 51000000',
        'switchover_event,kind=first_failure,run=r text="30.500 ms without a lasting good response" 70000000',
    ]
    assert verdict_lines(run, {"outage": outage | {"first_bad_us": None}, "failback": None}) == []
