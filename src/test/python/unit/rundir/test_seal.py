"""The seal of a file: any change of the file is found."""

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
from switchover.model.errors import RunDirectoryError
from switchover.rundir.appended_file import Appender
from switchover.rundir.journal import Journal
from switchover.rundir.run_directory import RUN_FILE, Run, read_run, write_run
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
