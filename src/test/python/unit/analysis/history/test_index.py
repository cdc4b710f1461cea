"""All runs below a folder: found, read once, and read again only where they have changed."""

import json
import os
import shutil
import zlib
from pathlib import Path

import pytest

from support.kept_runs import KEPT
from support.many_runs import make_run, make_runs, real_run
from switchover.analysis.history.entry import DAMAGED, NOT_JUDGED
from switchover.analysis.history.index import INDEX_FILE, Found, read_history, read_run_alone
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
    (folder / "month-000" / "run-000000" / "verdict.json").unlink()
    (folder / "month-000").rename(folder / os.fsdecode(b"month-\xff"))
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
    (form,) = json.loads(kept.splitlines()[1])[:1]
    other = kept.splitlines()[1].replace(b"%d" % form, b"%d" % (form + 1)).replace(b"MEASURED", b"MEASUREX")
    spoilt = {
        "cut": kept[: len(kept) // 2],
        "flipped": kept.replace(b"MEASURED", b"MEASUREX", 1),
        "not an index": b"\xff\x00\n{}",
        "another form": b"%08x\n%s\n" % (zlib.crc32(other), other),
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
    for number, text in ((5, "{"), (6, "[]")):
        (month / f"run-00000{number}").mkdir()
        (month / f"run-00000{number}" / "run.json").write_text(text)
    found = read_history(folder)
    assert list(words(found).values()).count(DAMAGED) == 6
    assert words(found)["run-000004"] == "MEASURED"
    damages = {entry.run: entry.damage for entry in found.entries}
    assert damages["run-000000"] == "run.json does not match the checksum that the run wrote"
    assert damages["run-000001"].startswith("verdict.json is no JSON")
    assert damages["run-000003"] == "run.json: No such file or directory"
    assert damages["run-000005"].startswith("run.json is no JSON")
    assert damages["run-000006"] == "run.json is no object"


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(folder: Path) -> None:
    (folder / "pipe").mkdir()
    os.mkfifo(folder / "pipe" / "run.json")
    (damaged,) = [entry for entry in read_history(folder).entries if entry.word == DAMAGED]
    assert (damaged.path, damaged.damage) == ("pipe", "run.json: it is no file")


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


def test_links_are_not_followed_and_hidden_folders_not_searched(folder: Path) -> None:
    (folder / "again").symlink_to(folder, target_is_directory=True)
    shutil.copytree(folder / "month-000", folder / ".trash")
    assert len(read_history(folder).entries) == 5


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
    found = read_history(tmp_path)
    assert len(found.entries) == 2
    assert found.notes == [f"cannot read {listed[1]}: Permission denied"]


def test_a_run_alone_is_told_if_it_was_judged(folder: Path) -> None:
    month = folder / "month-000"
    entry = read_run_alone(month / "run-000000")
    assert (entry.run, entry.path, entry.word) == ("run-000000", "run-000000", "MEASURED")
    (month / "run-000001" / "verdict.json").unlink()
    (month / "run-000002" / "verdict.json").unlink()
    (month / "run-000002" / "verdict.json").symlink_to("verdict.json")
    for directory, why in (
        (month / "run-000001", "has no verdict: 'switchover report' makes it"),
        (month / "run-000002", "is damaged: verdict.json: Too many levels of symbolic links"),
    ):
        with pytest.raises(RunDirectoryError) as caught:
            read_run_alone(directory)
        assert str(caught.value) == f"{directory} {why}"


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
    with pytest.raises(RunDirectoryError, match=r"^cannot read .*: File name too long$"):
        read_history(tmp_path / ("long" * 100))
