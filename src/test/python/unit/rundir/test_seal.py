"""The seal of a file says where the file is not as it was when it was closed."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.contract import named
from support.disk import file_size_limit
from switchover.model.errors import RunDirectoryError
from switchover.rundir.appended_file import Appender
from switchover.rundir.journal import Journal
from switchover.rundir.run_directory import RUN_FILE, Run, read_run, write_run
from switchover.rundir.seal import BLOCK, Sealer, find_damage, read_pieces, read_seals, seal_file


@pytest.mark.parametrize("case", named("seals.json", "files"))
def test_a_file_is_held_against_its_seals_as_java_does(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "journal.lp"
    path.write_bytes(b"".join(text.encode() * times for text, times in case["text"]))
    found = find_damage(path.name, read_pieces(path), read_seals(case["seals"]), may_grow=case["may_grow"])
    expected = case["damage"]
    if expected is None:
        assert found is None
        return
    assert found is not None
    assert (found.from_byte, found.to_byte, found.is_cut) == (
        expected["from_byte"],
        expected["to_byte"],
        expected["is_cut"],
    )
    assert found.text == expected["text"]


@given(st.lists(st.integers(0, 3 * BLOCK // 2), max_size=5))
def test_a_seal_does_not_depend_on_the_pieces_in_which_a_file_is_written(sizes: list[int]) -> None:
    data = bytes(range(256)) * (sum(sizes) // 256 + 1)
    sealer, at = Sealer(), 0
    for size in sizes:
        sealer.add(data[at : at + size])
        at += size
    whole = Sealer()
    whole.add(data[:at])
    assert sealer.seal() == whole.seal()
    assert read_seals([whole.seal().facts()]) == [whole.seal()]


@given(st.integers(1, 2 * BLOCK), st.data())
def test_any_changed_byte_and_any_cut_is_found(size: int, data: st.DataObject) -> None:
    written = bytes(number * 7 % 251 for number in range(size))
    sealer = Sealer()
    sealer.add(written)
    place = data.draw(st.integers(0, size - 1))
    changed = written[:place] + bytes([written[place] ^ data.draw(st.integers(1, 255))]) + written[place + 1 :]
    found = find_damage("x", [changed], [sealer.seal()], may_grow=True)
    assert found is not None and found.from_byte <= place < found.to_byte and not found.is_cut
    cut = find_damage("x", [written[:place]], [sealer.seal()], may_grow=True)
    assert cut is not None and cut.to_byte >= place


def test_a_writer_seals_what_stands_in_its_file_and_a_later_one_what_it_added(tmp_path: Path) -> None:
    run = Run(id="r", name="r")
    for number in range(2):
        journal = Journal(tmp_path / "journal.lp", {})
        journal.write("m", {}, {"v": number}, number)
        journal.close()
        run.add_seals(journal.seals)
    first, second = read_seals(run.seals["journal.lp"])
    assert second.from_byte == first.nbytes and second.from_byte + second.nbytes == journal.path.stat().st_size
    assert find_damage("j", read_pieces(journal.path), [first, second], may_grow=False) is None


def test_a_disk_that_was_full_leaves_a_file_that_is_as_its_seal_says(tmp_path: Path) -> None:
    appender = Appender(tmp_path / "x", head=b"head\n")
    appender.append([b"first\n"])
    with file_size_limit(14):
        appender.append([b"2\n", b"third, which does not fit\n"])
    appender.append([b"fourth\n"])
    appender.close()
    assert appender.path.read_bytes() == b"head\nfirst\n2\nfourth\n"
    assert appender.seal == seal_file(appender.path)


@pytest.mark.parametrize(
    "values",
    [None, "x", [1], [{}], [{"from_byte": -1, "bytes": 0, "crc32": ""}], [{"from_byte": 0, "bytes": 1, "crc32": ""}],
     [{"from_byte": 0, "bytes": 1, "crc32": "0000000g"}], [{"from_byte": True, "bytes": 0, "crc32": ""}]],
)  # fmt: skip
def test_what_is_no_seal_is_refused(values: object) -> None:
    with pytest.raises(ValueError):
        read_seals(values)


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
