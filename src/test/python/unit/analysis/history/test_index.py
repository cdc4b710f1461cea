"""All runs below a folder: found, read once, and read again only where they have changed."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.kept_runs import KEPT
from support.many_runs import make_run, make_runs, real_run
from switchover.analysis.history.entry import DAMAGED, NOT_JUDGED, entry_of
from switchover.analysis.history.index import INDEX_FILE, Found, read_history
from switchover.model.errors import RunDirectoryError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_runs(tmp_path, 5)
    return tmp_path


def words(found: Found) -> dict[str, str]:
    return {entry.run: entry.word for entry in found.entries}


def change_word(folder: Path, run: str, word: str) -> None:
    (path,) = folder.rglob(f"{run}/verdict.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"word": word}))


def test_what_a_run_measured_is_told_from_its_verdict(tmp_path: Path) -> None:
    shutil.copytree(KEPT / "node-down", tmp_path / "node-down")
    (entry,) = read_history(tmp_path).entries
    assert (entry.run, entry.path) == ("20261122T100603Z-node-down", "node-down")
    assert (entry.target, entry.what, entry.word, entry.trusted) == ("lab", "node-down", "MEASURED", True)
    assert entry.outage is not None
    assert (entry.outage.kind, entry.outage.low_ms, entry.outage.high_ms) == ("outage", 2991.798, 3080.274)
    assert (entry.predicted_low_ms, entry.predicted_high_ms, entry.inside) == (2609.375, 3609.375, True)
    assert (entry.failed, entry.total, entry.split_brain_ms) == (6, 164, 0)


def test_the_second_history_is_the_same_as_the_first_and_comes_from_the_index(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = read_history(folder)
    monkeypatch.setattr("switchover.analysis.history.index._read_entry", None)
    assert read_history(folder) == first


def test_a_run_that_was_judged_again_is_read_again(folder: Path) -> None:
    read_history(folder)
    change_word(folder, "run-000002", "BROKEN")
    assert words(read_history(folder))["run-000002"] == "BROKEN"


def test_runs_that_are_gone_or_new_are_gone_or_there(folder: Path) -> None:
    read_history(folder)
    shutil.rmtree(folder / "month-000" / "run-000001")
    make_run(folder, 9, *real_run())
    assert list(words(read_history(folder))) == [f"run-00000{number}" for number in (0, 2, 3, 4, 9)]


@pytest.mark.parametrize("damage", ["cut", "flipped", "not an index", "another form", "empty"])
def test_an_index_that_is_damaged_is_made_again(folder: Path, damage: str) -> None:
    whole = read_history(folder)
    index = folder / INDEX_FILE
    kept = index.read_bytes()
    spoilt = {
        "cut": kept[: len(kept) // 2],
        "flipped": kept.replace(b"MEASURED", b"MEASUREX", 1),
        "not an index": b"\xff\x00\n{}",
        "another form": b"%08x\n%s\n" % (0x3C456DE6, b"[]"),
        "empty": b"",
    }
    index.write_bytes(spoilt[damage])
    assert read_history(folder) == whole
    assert index.read_bytes() == kept


def test_a_damaged_run_is_told_and_hides_no_other(folder: Path) -> None:
    month = folder / "month-000"
    run = month / "run-000000" / "run.json"
    run.write_bytes(run.read_bytes().replace(b"node-down", b"node-dowm"))
    (month / "run-000001" / "verdict.json").write_text("{")
    (month / "run-000002" / "verdict.json").write_text("[" * 100_000)
    (month / "run-000003" / "run.json").unlink()
    found = read_history(folder)
    assert list(words(found).values()).count(DAMAGED) == 4
    assert words(found)["run-000004"] == "MEASURED"
    damages = {entry.run: entry.damage for entry in found.entries}
    assert damages["run-000000"] == "run.json does not match the checksum that the run wrote"
    assert damages["run-000001"].startswith("verdict.json is no JSON")
    assert damages["run-000003"] == "run.json: No such file or directory"


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(folder: Path) -> None:
    (folder / "pipe").mkdir()
    os.mkfifo(folder / "pipe" / "run.json")
    (damaged,) = [entry for entry in read_history(folder).entries if entry.word == DAMAGED]
    assert (damaged.path, damaged.damage) == ("pipe", "run.json is no file")


def test_an_outage_whose_end_is_no_number_is_unknown_and_not_without_end(folder: Path) -> None:
    path = next(folder.rglob("verdict.json"))
    verdict = json.loads(path.read_bytes())
    verdict["outage"]["high_ms"] = float("nan")
    path.write_text(json.dumps(verdict), encoding="utf-8")
    assert [entry.run for entry in read_history(folder).entries if entry.outage is None] == [path.parent.name]


def test_a_run_without_a_verdict_was_not_judged(folder: Path) -> None:
    (folder / "month-000" / "run-000000" / "verdict.json").unlink()
    assert words(read_history(folder))["run-000000"] == NOT_JUDGED


def test_the_folder_may_itself_be_a_run(folder: Path) -> None:
    (entry,) = read_history(folder / "month-000" / "run-000003").entries
    assert (entry.run, entry.path) == ("run-000003", ".")


def test_links_are_not_followed(folder: Path) -> None:
    (folder / "again").symlink_to(folder, target_is_directory=True)
    assert len(read_history(folder).entries) == 5


def test_a_folder_that_cannot_be_written_to_is_one_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, data: bytes) -> None:
        raise RunDirectoryError(f"cannot write {path}: Read-only file system")

    monkeypatch.setattr("switchover.analysis.history.index.write_whole", refuse)
    found = read_history(folder)
    assert len(found.entries) == 5
    (note,) = found.notes
    assert note.endswith("Read-only file system: the next history is as slow as this one")


def test_no_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(RunDirectoryError, match="is no directory: name a folder of runs"):
        read_history(tmp_path / "nothing")


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=5), inside, max_size=3),
    max_leaves=5,
)


@given(key=st.sampled_from(sorted(real_run()[0])), other=st.sampled_from(sorted(real_run()[1])), value=ANYTHING)
def test_any_value_in_the_place_of_another_is_unknown_or_damage(key: str, other: str, value: Any) -> None:
    run, verdict = real_run()
    try:
        entry_of("run", {**run, key: value}, {**verdict, other: value})
    except ValueError as error:
        assert str(error)
