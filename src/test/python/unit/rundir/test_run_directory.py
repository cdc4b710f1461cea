"""A run directory and its run.json, of this version or an earlier one: read, or refused in one clear line."""

import json
from dataclasses import asdict
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest
from msgspec import ValidationError, to_builtins

from support.contract import FOLDER
from support.kept_runs import KEPT
from switchover.model.errors import RunDirectoryError
from switchover.report.documents import read_verdict
from switchover.rundir import run_directory
from switchover.rundir.former_names import with_present_names
from switchover.rundir.points import parse_point
from switchover.rundir.run_directory import (
    RUN_FILE,
    ChangeRun,
    CurrentRun,
    CutPhase,
    FaultRun,
    Run,
    create_run_directory,
    read_run,
    with_checksum,
    write_json,
    write_run,
)
from switchover.rundir.run_records import HeldAccount, ProbeAccount, RunSettings


def test_a_run_is_read_as_it_was_written(tmp_path: Path) -> None:
    run = Run(id="x", name="drill", seed=7, fault=FaultRun(name="node-down", kind="master"))
    run.plan.fired_from_us = 12
    write_run(tmp_path, run)
    assert read_run(tmp_path) == run


def test_what_came_first_is_why_a_run_was_stopped_and_counts_as_not_done() -> None:
    run = Run(id="r", name="touch", fault=FaultRun(name="touch", kind="master"))
    for why in ("first", "second"):
        run.record_stop(why)
        run.record_error(why)
    assert run.fault is not None and (run.stopped, run.fault.error) == ("first", "first")


def test_two_runs_in_one_second_get_two_folders(tmp_path: Path) -> None:
    first, second = (create_run_directory(tmp_path / "runs", "same") for _ in range(2))
    assert first != second


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", "null", '{"plan": 5}', '{"plan": {}, "fault": {"x": 1}}', "\x00"]
)
def test_a_garbled_run_file_is_one_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(RunDirectoryError) as caught:
        read_run(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_run_directory_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunDirectoryError, match="cannot create"):
        create_run_directory(tmp_path / "file", "run")


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "verdict.json"
    write_json(path, {"old": True})
    (tmp_path / "verdict.json.part").mkdir()
    with pytest.raises(RunDirectoryError, match="cannot write"):
        write_json(path, {"new": True})
    assert json.loads(path.read_text()) == {"old": True}


def test_a_lone_surrogate_is_written_and_read_again(tmp_path: Path) -> None:
    """A command-line argument that is no UTF-8 has them."""
    run = Run(id="r", name="r", command=["switchover", "--out", "caf\udce9"])
    write_run(tmp_path, run)
    assert read_run(tmp_path) == run


def test_a_series_of_changes_is_read_as_it_was_written(tmp_path: Path) -> None:
    run = Run(id="1", name="reload", change=FaultRun(name="reload", kind="master", master="lb1"))
    run.plan.changes = [asdict(ChangeRun(number=1, from_us=5, lingering=["lb1 6"], exposed={"pooled": 30}))]
    run.connections = HeldAccount.of({"requests": 3, "lost": 0, "failed": {"pooled": 1}})
    write_run(tmp_path, run)
    found = read_run(tmp_path)
    assert found.change == run.change
    assert found.connections is not None and found.connections.requests == 3
    assert found.plan.made_changes[0].lingering == ["lb1 6"]


def current_run(place: Path) -> tuple[CurrentRun, list[str]]:
    notes: list[str] = []
    return CurrentRun(place, Run(id="r", name="touch"), notes.append), notes


def test_a_disk_that_is_full_is_reported_until_it_takes_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(path: Path, data: bytes) -> None:
        raise RunDirectoryError(f"cannot write {path}: No space left on device")

    current, notes = current_run(tmp_path)
    with current.saved():
        with monkeypatch.context() as full:
            full.setattr(run_directory, "write_whole", write)
            current.save()
        assert current.unsaved is not None and "No space left" in current.unsaved and notes == [current.unsaved]
    assert current.unsaved is None


def test_a_run_that_breaks_off_is_saved(tmp_path: Path) -> None:
    current, _ = current_run(tmp_path)
    with pytest.raises(ZeroDivisionError), current.saved():
        current.run.name = "exceeded"
        raise ZeroDivisionError
    assert read_run(tmp_path).name == "exceeded"
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_directory_that_takes_nothing_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    current, _ = current_run(tmp_path / "gone")
    with pytest.raises(RunDirectoryError, match="cannot write"), current.saved():
        pytest.fail("measured")


def test_what_was_written_is_kept() -> None:
    settings = RunSettings.of({"late_ms": 3, "of another version": [5], "load": {"state": "ended", "more": 1}})
    assert settings.written == {"late_ms": 3, "of another version": [5], "load": {"state": "ended", "more": 1}}
    assert (settings | {"late_ms": 5.0}).written == {**settings.written, "late_ms": 5.0}
    assert settings.late_us == 3000 and settings.load is not None and settings.load.state == "ended"


@pytest.mark.parametrize("value", ["fast", True, [1.0], {"a": 1}, float("nan"), float("inf"), 1e17])
def test_a_value_of_another_type_is_refused(value: object) -> None:
    with pytest.raises(ValidationError):
        RunSettings.of({"probe_rate": value})


def test_a_stream_without_an_account_sent_an_unknown_number() -> None:
    account = ProbeAccount.of({"scheduled": 9, "unsent": 2, "kept": {"scheduled": 3}})
    assert account.kept is not None and (account.sent, account.kept.sent) == (7, None)


def written(directory: Path, **changes: Any) -> Path:
    values = asdict(Run(id="a", name="a", fault=FaultRun(name="haproxy-kill", kind="master")))
    for name, value in changes.items():
        *outer, last = name.split("__")
        place = values
        for one in outer:
            place = place[one]
        place[last] = value
    values.pop("streaming", None)
    (directory / "run.json").write_bytes(with_checksum(values))
    return directory


@pytest.mark.parametrize("value", [None, 5, "text", True, [], {}, [5], {"a": 5}, 1.5])
@pytest.mark.parametrize(
    "name", ["id", "name", "versions", "command", "target", "settings", "plan", "clocks", "parts"]
)
def test_a_wrong_type_is_one_clear_line(name: str, value: object, tmp_path: Path) -> None:
    try:
        read_run(written(tmp_path, **{name: value}))
    except RunDirectoryError as error:
        assert "run.json is not a run description" in str(error) and "\n" not in str(error)
        return
    assert isinstance(value, str | list | dict) and value != [5]


@pytest.mark.parametrize("value", [10**30, -(10**30), 10**400, 1e308])
@pytest.mark.parametrize(
    "name", ["plan__heal_from_us", "plan__start_us", "fault__predict_low_ms", "settings__late_ms"]
)
def test_a_number_beyond_all_measure_is_one_clear_line(name: str, value: float, tmp_path: Path) -> None:
    with pytest.raises(RunDirectoryError, match=r"run\.json is not a run description"):
        read_run(written(tmp_path, **{name: value}))


def test_another_schema_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunDirectoryError, match="schema 99: another version of switchover wrote it"):
        read_run(written(tmp_path, schema=99))


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"number": "x"},
        {"number": 1, "from_us": "soon"},
        {"number": 1, "exposed": [1]},
        {"number": 1, "lingering": 5},
    ],
)
def test_a_change_of_wrong_types_is_one_clear_line(change: object, tmp_path: Path) -> None:
    with pytest.raises(RunDirectoryError, match=r"run\.json is not a run description"):
        read_run(written(tmp_path, plan__changes=[change]))


@pytest.mark.parametrize("place", ["", "plan__", "fault__", "settings__"])
def test_a_run_may_say_what_a_later_version_knows(place: str, tmp_path: Path) -> None:
    earlier, later = written(tmp_path), tmp_path / "later"
    later.mkdir()
    read, asked = read_run(written(later, **{f"{place}of_another_version": 5})), read_run(earlier)
    assert (read.plan, read.fault, read.settings.late_us) == (asked.plan, asked.fault, asked.settings.late_us)


@pytest.mark.parametrize("name", ["id", "name", "plan"])
def test_what_a_run_cannot_be_without_is_named(name: str, tmp_path: Path) -> None:
    values = asdict(Run(id="a", name="a"))
    del values[name]
    (tmp_path / "run.json").write_bytes(with_checksum(values))
    with pytest.raises(RunDirectoryError, match=f"schema 2: .*{name}"):
        read_run(tmp_path)


CUT_PHASES = json.loads((FOLDER / "cut_phases.json").read_text(encoding="utf-8"))


def test_a_run_is_read_and_written_as_java_writes_it(tmp_path: Path) -> None:
    agreed = (FOLDER / RUN_FILE).read_bytes()
    (tmp_path / RUN_FILE).write_bytes(agreed)
    write_run(tmp_path, read_run(tmp_path))
    assert (tmp_path / RUN_FILE).read_bytes() == agreed


def cut_phase(case: dict[str, Any]) -> CutPhase:
    return CutPhase(**{name: value for name, value in case.items() if name != "text"})


def run_that_was_cut(directory: Path, truncated: list[object]) -> Path:
    """A run.json with these cut phases, of a version without checksums."""
    values: dict[str, object] = {"id": "id", "name": "name", "plan": {}, "fault": None, "truncated": truncated}
    (directory / RUN_FILE).write_text(json.dumps(values), encoding="utf-8")
    return directory


@pytest.mark.parametrize("case", CUT_PHASES["cases"], ids=lambda case: case["text"])
def test_a_phase_that_was_cut_short_is_a_code_with_figures_and_one_line(case: dict[str, Any], tmp_path: Path) -> None:
    write_run(tmp_path, Run("id", "name", truncated=[cut_phase(case)]))
    (cut,) = read_run(tmp_path).truncated
    assert cut == cut_phase(case)
    assert cut.text == case["text"]


@pytest.mark.parametrize("text", CUT_PHASES["refused"])
def test_another_sentence_is_refused_in_one_line(text: str, tmp_path: Path) -> None:
    with pytest.raises(RunDirectoryError, match="truncated"):
        read_run(run_that_was_cut(tmp_path, [text]))


FORMER = Path(__file__).parents[3] / "resources" / "former"
NAMES = [path.stem.removeprefix("verdict-2-") for path in FORMER.glob("verdict-2-*.json")]


@pytest.mark.parametrize("name", NAMES)
def test_a_verdict_of_schema_2_has_the_figures_that_the_run_has_today(name: str, tmp_path: Path) -> None:
    copyfile(FORMER / f"verdict-2-{name}.json", tmp_path / "verdict.json")
    former, today = read_verdict(tmp_path), read_verdict(KEPT / name)
    assert (former.status, former.exit_code, former.valid) == (today.status, today.exit_code, today.valid)
    for part in ("outage", "failback", "split_brain", "limits", "probes", "samples", "distribution", "timeline"):
        before, after = to_builtins(getattr(former, part)), to_builtins(getattr(today, part))
        if isinstance(before, dict):  # a later version may have more figures
            after = {key: after[key] for key in before}
        assert before == after


def test_names_of_the_user_are_not_renamed() -> None:
    former = {"settings": {"budgets": ["outage=5s"]}, "weights": {"budget": 1}, "name": "patient"}
    assert with_present_names(former) == {
        "settings": {"limits": ["outage=5s"]},
        "weights": {"budget": 1},
        "name": "patient",
    }


def test_a_point_of_an_earlier_version_has_the_field_of_today() -> None:
    line = 'switchover_haproxy,node=epoch,run=r epoch="12-3",hrsp_2xx=4i 1'
    point = parse_point(line)
    assert point.tags["node"] == "epoch" and point.fields == {"generation": "12-3", "hrsp_2xx": 4}


def test_every_kept_run_is_of_the_former_schema() -> None:
    """They are the frozen directories: what reads them today reads the names of before."""
    assert {json.loads(path.read_text())["schema"] for path in KEPT.glob("*/run.json")} == {1}
