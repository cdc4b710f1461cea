"""A run.json that is not what it should be is one clear line, whatever is wrong in it."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from switchover.model.errors import RunDirectoryError
from switchover.rundir.run_directory import FaultRun, Run, read_run, with_checksum


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
