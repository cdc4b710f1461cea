"""A file is written whole or not at all, and its seal finds any change."""

import os
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.contract import named
from support.disk import file_size_limit
from support.examples import examples
from support.kept_runs import kept_run
from switchover.model.errors import RunDirectoryError
from switchover.report.history.entry import DAMAGED, read_history
from switchover.rundir.appended_file import Appender
from switchover.rundir.atomic_file import NO_FILE, read_whole, write_whole
from switchover.rundir.journal import Journal
from switchover.rundir.run_directory import RUN_FILE, VERDICT_FILE, Run, read_run, write_run
from switchover.rundir.seal import PIECE, is_as_sealed, read_seals, seal_file


@pytest.mark.parametrize("case", named("seals.json", "files"))
def test_a_file_is_compared_with_the_seals_of_java_and_of_earlier_versions(
    case: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "journal.lp"
    path.write_bytes(b"".join(text.encode() * times for text, times in case["text"]))
    found = is_as_sealed(path, read_seals(case["seals"]), may_grow=case["may_grow"])
    assert found == (case["damage"] is None)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(50))
@given(st.integers(1, 2 * PIECE), st.data())
def test_any_changed_byte_and_any_cut_is_found(tmp_path: Path, size: int, data: st.DataObject) -> None:
    written, path = bytes(number * 7 % 251 for number in range(size)), tmp_path / "x"
    path.write_bytes(written)
    seal = seal_file(path)
    assert read_seals([asdict(seal)]) == [seal] and is_as_sealed(path, [seal], may_grow=False)
    place = data.draw(st.integers(0, size - 1))
    flipped = bytes([written[place] ^ data.draw(st.integers(1, 255))])
    for changed in (written[:place] + flipped + written[place + 1 :], written[:place]):
        path.write_bytes(changed)
        assert not is_as_sealed(path, [seal], may_grow=True)


def test_a_writer_seals_what_it_added(tmp_path: Path) -> None:
    run = Run(id="r", name="r")
    for number in range(2):
        journal = Journal(tmp_path / "journal.lp", {})
        journal.write("m", {}, {"v": number}, number)
        journal.close()
        run.add_seals(journal.seals)
    seals = read_seals(run.seals["journal.lp"])
    assert is_as_sealed(journal.path, seals, may_grow=False) and not is_as_sealed(
        journal.path, seals[1:], may_grow=True
    )
    with journal.path.open("ab") as file:
        file.write(b"more")
    assert is_as_sealed(journal.path, seals, may_grow=True) and not is_as_sealed(journal.path, seals, may_grow=False)


def test_a_disk_that_was_full_leaves_a_file_that_is_as_its_seal_says(tmp_path: Path) -> None:
    appender = Appender(tmp_path / "x", head=b"head\n")
    appender.append([b"first\n"])
    with file_size_limit(14):
        appender.append([b"2\n", b"third, which does not fit\n"])
    appender.append([b"fourth\n"])
    appender.close()
    assert appender.path.read_bytes() == b"head\nfirst\nfourth\n"
    assert appender.seals == {"x": [asdict(seal_file(appender.path))]}


def test_a_run_that_was_changed_since_it_was_written_is_refused(tmp_path: Path) -> None:
    """A digit of its plan would move the fault, and with it every figure."""
    run = Run(id="r", name="r")
    run.plan.fired_from_us = 1795341919732513
    write_run(tmp_path, run)
    path = tmp_path / RUN_FILE
    assert read_run(tmp_path) == run
    path.write_text(path.read_text().replace("1795341919732513", "1795341918732513"))
    with pytest.raises(RunDirectoryError, match=re.escape(f"{path} is damaged, or was edited: its text does not")):
        read_run(tmp_path)
    assert read_run(tmp_path, as_written=False).plan.fired_from_us == 1795341918732513


@given(place=st.integers(0, 10_000), flip=st.integers(1, 255))
def test_any_changed_byte_of_a_run_description_is_found(
    tmp_path_factory: pytest.TempPathFactory, place: int, flip: int
) -> None:
    folder = tmp_path_factory.mktemp("run")
    write_run(folder, Run(id="r", name="r"))
    text = bytearray((folder / RUN_FILE).read_bytes())
    text[place % len(text)] ^= flip
    (folder / RUN_FILE).write_bytes(text)
    with pytest.raises(RunDirectoryError):
        read_run(folder)


def test_a_pipe_or_a_device_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "page.html"
    os.mkfifo(pipe)
    with pytest.raises(RunDirectoryError, match=r"cannot write .*page\.html: it is not a regular file"):
        write_whole(pipe, b"page")
    assert pipe.is_fifo() and list(tmp_path.iterdir()) == [pipe]


@pytest.mark.parametrize("name", ["page.html", "page.html.part"])
def test_a_link_is_replaced_and_what_it_points_to_is_not_written(name: str, tmp_path: Path) -> None:
    other, page = tmp_path / "other", tmp_path / "page.html"
    other.write_bytes(b"of somebody else")
    (tmp_path / name).symlink_to(other)
    write_whole(page, b"page")
    assert other.read_bytes() == b"of somebody else"
    assert not page.is_symlink() and page.read_bytes() == b"page"
    assert sorted(tmp_path.iterdir()) == [other, page]


def test_only_a_regular_file_of_a_bounded_size_is_read(tmp_path: Path) -> None:
    file, pipe = tmp_path / "run.json", tmp_path / "pipe"
    file.write_bytes(b"12345")
    os.mkfifo(pipe)
    assert read_whole(file, 5) == b"12345"
    for path, limit, why in ((file, 4, "larger than 4 bytes"), (pipe, 4, NO_FILE), (Path("/dev/zero"), 4, NO_FILE)):
        with pytest.raises(OSError, match=why):
            read_whole(path, limit)


@pytest.mark.parametrize("name", [RUN_FILE, VERDICT_FILE])
@pytest.mark.parametrize("what", ["pipe", "/dev/zero"])
def test_a_history_and_a_report_end_if_a_file_is_a_pipe_or_a_device(name: str, what: str, tmp_path: Path) -> None:
    folder = kept_run("keepalived-kill", tmp_path)
    path = folder / name
    path.unlink()
    os.mkfifo(path) if what == "pipe" else path.symlink_to(what)
    (entry,) = read_history(tmp_path)[0]
    assert entry.status == DAMAGED
    if name == RUN_FILE:
        with pytest.raises(RunDirectoryError, match=NO_FILE):
            read_run(folder)
