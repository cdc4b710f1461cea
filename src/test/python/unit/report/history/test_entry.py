"""Runs in the history: what is read of run.json and verdict.json, and which runs are damaged."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from support.kept_runs import KEPT
from support.many_runs import make_run, make_runs, real_run
from switchover.model.errors import RunDirectoryError
from switchover.report.history.entry import (
    DAMAGED,
    NOT_JUDGED,
    Entry,
    entry_of,
    read_history,
    target_name,
    versions_text,
)
from switchover.rundir.run_directory import run_of
from switchover.rundir.run_records import TargetFacts
from switchover.verdict.record import Verdict

TARGET = {
    "url": "http://shop/",
    "file": "targets/shop.toml",
    "nodes": [
        {"name": "lb2", "role": "balancer", "nginx": True},
        {"name": "lb1", "role": "balancer", "haproxy": True},
        {"name": "web1", "role": "backend", "nginx": True},
    ],
}
BALANCERS = [["lb1", True, False], ["lb2", False, True]]
RUN: dict[str, Any] = {
    "id": "run-1",
    "name": "node-down",
    "plan": {"start_us": 7_000_000},
    "target": TARGET,
    "settings": {"probe_rate": 100, "timeout_connect_ms": 250.0, "timeout_read_ms": 1000.0, "late_ms": 500.0},
    "fault": {"name": "node-down", "kind": "master", "predict_low_ms": 2609.0, "predict_high_ms": 3609.0},
    "versions": {"python": "3.11.7", "keepalived": "2.2.7", "haproxy": "2.6.12"},
}
PROBING = [100, 250, 1000, 500]
VERDICT = msgspec.convert(real_run()[1], Verdict)
WINDOW = {"predicted window in ms": "2609.0 to 3609.0"}


def read(run: dict[str, Any], verdict: dict[str, Any] | None = None) -> Entry:
    """The run with these values changed, and a real verdict with these values changed."""
    return entry_of("month/run-1", run_of(RUN | run), msgspec.convert(real_run()[1] | (verdict or {}), Verdict))


def setting(entry: Entry) -> list[Any]:
    found: list[Any] = json.loads(entry.setting)
    return found


def test_a_history_shows_what_a_run_was_and_what_its_verdict_says() -> None:
    entry = read({})
    assert setting(entry) == ["http://shop/", BALANCERS, PROBING, [2609, 3609], WINDOW]
    assert entry == Entry(
        run="run-1",
        path="month/run-1",
        start_us=7_000_000,
        target="shop",
        what="node-down",
        versions={"haproxy": "2.6.12", "keepalived": "2.2.7"},
        status="MEASURED",
        valid=True,
        outage=VERDICT.outage,
        failback=VERDICT.failback,
        failed=6,
        total=164,
        split_brain_ms=0.0,
        predicted_low_ms=2609.375,
        predicted_high_ms=3609.375,
        inside=True,
        setting=entry.setting,
        keepalived=WINDOW,
    )
    assert (entry.url, versions_text(entry.versions)) == ("http://shop/", "haproxy 2.6.12, keepalived 2.2.7")
    unjudged = entry_of("run-1", run_of(RUN), None)
    assert (unjudged.status, unjudged.valid, unjudged.outage, unjudged.total) == (NOT_JUDGED, False, None, None)


@pytest.mark.parametrize(
    ("fault", "window"),
    [({"predict_high_ms": 3609.0}, [None, 3609]), ({}, [2609.375, 3609.375])],
)
def test_the_predicted_window_is_that_of_the_run_or_that_of_its_verdict(
    fault: dict[str, Any], window: list[float | None]
) -> None:
    entry = read({"fault": {"name": "node-down", "kind": "master", **fault}})
    assert setting(entry) == ["http://shop/", BALANCERS, PROBING, window, entry.keepalived]


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ({"lab": True, "url": "http://198.18.0.50/"}, "lab"),
        ({"file": "shop.toml", "url": "http://shop/"}, "shop"),
        ({"file": "/etc/targets/shop.test", "url": "http://shop/"}, "shop.test"),
        ({"url": "http://shop/"}, "http://shop/"),
        ({}, ""),
    ],
)
def test_a_target_is_called_by_its_file_or_by_its_address(target: dict[str, Any], name: str) -> None:
    assert target_name(TargetFacts.of(target)) == name


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_runs(tmp_path, 5)
    return tmp_path


def statuses(entries: list[Entry]) -> dict[str, str]:
    return {entry.run: entry.status for entry in entries}


def test_a_damaged_run_is_told_and_hides_no_other(folder: Path) -> None:
    month = folder / "month-000"
    run = month / "run-000000" / "run.json"
    run.write_bytes(run.read_bytes().replace(b"node-down", b"node-dowm"))
    (month / "run-000001" / "verdict.json").write_text("{")
    (month / "run-000002" / "verdict.json").write_text("[" * 100_000)
    (month / "run-000003" / "run.json").unlink()
    for number, text in enumerate(("{", "[]", '{"id": 7, "plan": {}}', '{"id": "x"}'), 5):
        (month / f"run-00000{number}").mkdir()
        (month / f"run-00000{number}" / "run.json").write_text(text)
    (folder / "pipe").mkdir()
    os.mkfifo(folder / "pipe" / "run.json")
    shutil.copytree(KEPT / "node-down", folder / "nan")
    judged = (folder / "nan" / "verdict.json").read_text()
    (folder / "nan" / "verdict.json").write_text(judged.replace("3080.274", "NaN"))
    entries, _ = read_history(folder)
    assert [name for name, status in statuses(entries).items() if status != DAMAGED] == ["run-000004"]
    damages = {entry.run: entry.damage for entry in entries if entry.damage}
    assert damages.pop("nan").startswith("verdict.json: JSON is malformed: invalid character")
    assert damages == {
        "run-000000": "run.json: the file does not match its checksum",
        "run-000001": "verdict.json: Input data was truncated",
        "run-000002": "verdict.json: the JSON is nested too deeply",
        "run-000003": "run.json: No such file or directory",
        "run-000005": "run.json: Input data was truncated",
        "run-000006": "run.json: Expected `object`, got `array`",
        "run-000007": "run.json: Expected `str`, got `int` - at `$.id`",
        "run-000008": "run.json: plan is missing",
        "pipe": "run.json: it is not a regular file",
    }


def test_the_folder_may_itself_be_a_run(folder: Path) -> None:
    (entry,) = read_history(folder / "month-000" / "run-000003")[0]
    assert (entry.run, entry.path) == ("run-000003", ".")


def test_links_are_not_followed_and_hidden_folders_not_searched(folder: Path) -> None:
    (folder / "again").symlink_to(folder, target_is_directory=True)
    shutil.copytree(folder / "month-000", folder / ".trash")
    assert len(read_history(folder)[0]) == 5


def test_a_folder_that_cannot_be_listed_is_told_and_hides_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (0, 700, 1400):
        make_run(tmp_path, number, *real_run())
    listed: list[Path] = []

    def list_all_but_the_second(path: Path) -> object:
        listed.append(path)
        if len(listed) == 2:
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", list_all_but_the_second)
    entries, notes = read_history(tmp_path)
    assert len(entries) == 2
    assert notes == [f"cannot read {listed[1]}: Permission denied"]


def test_no_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(RunDirectoryError, match="is not a directory: name a folder of runs"):
        read_history(tmp_path / "nothing")
    with pytest.raises(RunDirectoryError, match="is not a directory: name a folder of runs"):
        read_history(tmp_path / ("long" * 100))
