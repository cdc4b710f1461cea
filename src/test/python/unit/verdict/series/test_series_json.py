"""The file of a run's charts: its times, its events, and the description of its run."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from support.request_tables import changed
from switchover.rundir.measurements import EVENT
from switchover.rundir.points import Point
from switchover.rundir.run_directory import FaultRun
from switchover.rundir.run_records import WorkerFacts
from switchover.verdict.judge import judge
from switchover.verdict.series.requests import grid_of
from switchover.verdict.series.series_json import describe_run, series_json, write_series
from synthetic import END, FIRED, HEAL, SECOND, drill, sample

POINTS = [
    Point(EVENT, {"kind": "heal", "node": "lb1"}, {"text": "healed"}, (FIRED + 1_234_567) * 1000 + 999),
    Point(EVENT, {}, {"text": 5}, FIRED * 1000),
    Point(EVENT, {}, {}, FIRED * 1000),
    Point("switchover_scrape", {}, {"text": "no event"}, FIRED * 1000),
    *[Point(EVENT, {}, {"text": "one of many"}, FIRED * 1000)] * 300,
]


@pytest.mark.parametrize(
    ("zero_us", "heal_us", "zero_is", "marks"),
    [
        (FIRED, HEAL, "the fault", [("fault", 0.0), ("heal", 15.0)]),
        (FIRED, END, "the fault", [("fault", 0.0), ("heal", 25.0)]),
        (FIRED, END + 1, "the fault", [("fault", 0.0)]),
        (0, HEAL, "the fault", [("fault", 0.0), ("heal", 20.0)]),
        (None, None, "the start", []),
    ],
)
def test_times_are_seconds_after_the_fault_or_after_the_start(
    zero_us: int | None, heal_us: int | None, zero_is: str, marks: list[tuple[str, float]], tmp_path: Path
) -> None:
    data = replace(changed(drill(), samples=[sample(0, 9)]), points=POINTS)
    data.run.plan = replace(data.run.plan, fired_from_us=zero_us, heal_from_us=heal_us)
    verdict, zero, grid = judge(data, []), (zero_us or 0) / SECOND, grid_of(0, END)
    write_series(tmp_path, series_json(verdict, data))
    found = json.loads((tmp_path / "series.json").read_text(encoding="utf-8"))
    assert (found["schema"], found["zero_is"], found["from"], found["to"]) == (2, zero_is, -zero, 30.0 - zero)
    assert [(mark["name"], mark["at"]) for mark in found["marks"]] == marks
    assert [(phase["name"], phase["from"], phase["to"]) for phase in found["phases"]] == [
        (phase.name.value, round(phase.from_us / 1e6 - zero, 4), round(phase.to_us / 1e6 - zero, 4))
        for phase in verdict.events.phases
    ]
    assert found["width"] == grid.width_us / 1e6 and len(found["starts"]) == grid.size
    assert found["starts"][:2] == [-zero, round(-zero + found["width"], 4)]
    good = {one["name"]: sum(map(sum, one["backends"].values())) for one in found["populations"]}
    assert good == {"load": 1, "probes": 2700}
    assert found["events"][:2] == [
        {"at": round(6.2346 - zero, 4), "kind": "heal", "node": "lb1", "text": "healed"},
        {"at": 5.0 - zero, "kind": "", "node": "", "text": "5"},
    ]
    assert len(found["events"]) == 300 and "no event" not in str(found["events"])


def test_a_run_is_described_by_what_it_was_started_with() -> None:
    run = drill().run
    run.change, run.command, run.seed, run.versions = FaultRun("reload", "master"), ["drill"], 7, {"haproxy": "3.0"}
    run.workers, run.settings = [WorkerFacts.of({"worker": "1"})], run.settings | {"timeout_read_ms": 500.0}
    assert run.fault is not None
    assert describe_run(run) == {
        "id": run.id, "name": run.name, "command": ["drill"], "seed": 7, "versions": {"haproxy": "3.0"},
        "fault": asdict(run.fault), "change": asdict(run.change), "is_fired": True,
        "plan": {name: value for name, value in asdict(run.plan).items() if name != "changes"},
        "no_outage_because": "no probe was recorded", "timeout_read_ms": 500.0,
        "settings": run.settings.written, "target": run.target.written, "workers": [{"worker": "1"}],
    }  # fmt: skip
    run.fault = run.change = None
    described = describe_run(run)
    assert (described["fault"], described["change"], described["is_fired"]) == (None, None, False)
