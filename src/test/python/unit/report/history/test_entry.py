"""What a history keeps of each run, and what was usual in the runs before one."""

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from support.kept_runs import KEPT, kept_run
from support.many_runs import make_run, make_runs, real_run
from switchover.cli.main import main
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
from switchover.report.history.usual import comparable, history_folder, lengths_of, usual_of, with_usual_limits
from switchover.rundir.run_directory import read_run, run_of
from switchover.rundir.run_records import TargetFacts
from switchover.verdict.limit import Limit, parse_limit
from switchover.verdict.record import LimitName, Verdict

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


USUAL = parse_limit("outage=usual")


def mixed(count: int, first: int = 0) -> list[float]:
    """Numbers without an order in which later ones are longer."""
    found = list(map(float, range(first, first + count)))
    random.Random(5).shuffle(found)
    return found


@pytest.mark.parametrize(
    ("lengths", "margin", "limit_ms", "why"),
    [
        (mixed(7), 0, None, "usual needs 8 comparable earlier runs, but there are 7"),
        (mixed(12, 3001), 0, 3012, "usual: the longest of 12 runs; a single run above the limit may be chance"),
        (
            [3000.2] * 8,
            0.8,
            5401,
            "usual: the longest of 8 runs and 80 %; a single run above the limit may be chance",
        ),
        (mixed(46), 0, 44, "usual: outage 45 of 46 in ascending order; a single run above the limit may be chance"),
        (
            [9000, *mixed(100)],
            0,
            95,
            "usual: outage 96 of 100 in ascending order; a single run above the limit may be chance",
        ),
    ],
)
def test_the_limit_covers_the_90th_percentile_of_the_last_runs_or_is_the_longest(
    lengths: list[float], margin: float, limit_ms: float | None, why: str
) -> None:
    assert usual_of(lengths, margin) == (limit_ms, why)


def entry(number: int, **values: object) -> Entry:
    known: dict[str, object] = {"start_us": number, "target": "shop", "what": "node-down", "status": "PASSED"}
    return Entry(run=f"run-{number}", path=str(number), **{**known, "valid": True, "setting": "[1]", **values})  # type: ignore[arg-type]


def test_a_run_is_compared_with_trusted_earlier_runs_of_the_same_target_fault_and_setting() -> None:
    others = [
        entry(1),
        entry(2, valid=False),
        entry(3, target="other"),
        entry(4, what="partition"),
        entry(5, setting="[2]"),
        entry(11),
        entry(6, start_us=None),
        entry(7, start_us=10),
        entry(10),
        entry(0),
    ]
    assert [other.run for other in comparable(entry(10), others)] == ["run-0", "run-1"]
    assert comparable(entry(9, setting=""), [entry(number, setting="") for number in range(8)]) == []


def test_only_runs_that_recovered_have_a_length(tmp_path: Path) -> None:
    run, verdict = real_run()
    make_run(tmp_path, 0, run, verdict, outage_ms=3000)
    make_run(tmp_path, 1, run, verdict | {"outage": verdict["outage"] | {"recovered": False}})
    entries, _ = read_history(tmp_path)
    assert lengths_of(entries, LimitName.OUTAGE) == [3000]
    assert lengths_of(entries, LimitName.FAILBACK) == [verdict["failback"]["high_ms"]] * 2


@pytest.mark.parametrize(
    ("directory", "folder"),
    [
        ("runs/a", "runs"),
        ("runs/drain-x20/a", "runs"),
        ("runs/drain-x/a", "runs/drain-x"),
        ("runs/drain-x20-kept/a", "runs/drain-x20-kept"),
    ],
)
def test_earlier_runs_are_beside_a_run_and_for_repeats_beside_their_folder(
    directory: str, folder: str, tmp_path: Path
) -> None:
    assert history_folder(tmp_path / directory) == tmp_path / folder


def resolved(directory: Path, *limits: Limit) -> list[str]:
    return [limit.written for limit in with_usual_limits(limits, read_run(directory), directory)]


def test_limits_are_looked_up_once_and_written_with_their_origin(tmp_path: Path) -> None:
    run, verdict = real_run()
    latest = [make_run(tmp_path, number, run, verdict, outage_ms=3000.0 - number) for number in range(9)][-1]
    known = "outage=usual:3s (usual: the longest of 8 runs; a single run above the limit may be chance)"
    assert resolved(latest, parse_limit("failed=1%"), USUAL, parse_limit(known)) == ["failed=1%", known, known]
    shutil.copytree(latest.parent / "run-000000", latest.parent / "copy")
    shutil.rmtree(latest.parent / "run-000001")
    assert resolved(latest, USUAL) == ["outage=usual (usual needs 8 comparable earlier runs, but there are 7)"]
    gone = tmp_path / "gone" / latest.name
    (found,) = with_usual_limits([USUAL], read_run(latest), gone)
    assert found.written == f"outage=usual ({gone.parent} is not a directory: name a folder of runs)"
    assert not found.is_to_be_looked_up


ABOVE, WITHIN = (2910, 2700, 2920, 2900, 2850, 2800, 2750, 2820), (3100, 2700, 3400, 2900, 3300, 2800, 3200, 3000)


@pytest.mark.parametrize(
    ("past", "probe_rate", "low_ms", "verdict", "limit"),
    [
        ((3000, 3100, 3200), None, None, "INCONCLUSIVE", None),
        (WITHIN, None, None, "PASSED", 3400),
        (ABOVE, None, None, "INCONCLUSIVE", 2920),
        (WITHIN, 7.0, None, "INCONCLUSIVE", None),
        (WITHIN, None, 2609.375, "PASSED", 3400),
        (WITHIN, None, 1609.375, "INCONCLUSIVE", None),
    ],
)
def test_a_run_above_the_usual_limit_or_without_one_is_inconclusive(
    past: tuple[float, ...],
    probe_rate: float | None,
    low_ms: float | None,
    verdict: str,
    limit: float | None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`probe_rate`: the earlier runs have another setting. `low_ms`: their window is in their verdicts alone."""
    judged = kept_run("node-down", tmp_path)
    run, kept = real_run()
    if probe_rate:
        run["settings"] |= {"probe_rate": probe_rate}
    if low_ms:
        run["fault"] |= {"predict_low_ms": None, "predict_high_ms": None}
        kept["prediction"] |= {"low_ms": low_ms}
    for number, outage_ms in enumerate(past):
        make_run(judged.parent, number, run, kept, outage_ms=outage_ms)
    main(["report", str(judged), "--limit", "outage=usual", "--json"])
    found = json.loads(capsys.readouterr().out)
    (outage,) = [one for one in found["limits"] if one["name"] == "outage"]
    assert (found["verdict"], outage["limit"]) == (verdict, limit)
