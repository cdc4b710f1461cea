"""Journals are followed line by line while others write them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchover.rundir.journal_tail import JournalTail


def write(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_a_line_that_is_still_being_written_waits_for_its_end(tmp_path: Path) -> None:
    tail = JournalTail(tmp_path)
    write(tmp_path / "journal.lp", b"whole 1\nhal")
    assert tail.read()[0] == [b"whole 1"]
    assert tail.read()[0] == []
    write(tmp_path / "journal.lp", b"f 2\n")
    assert tail.read()[0] == [b"half 2"]


def test_a_long_journal_is_read_in_slices(tmp_path: Path) -> None:
    write(tmp_path / "journal.lp", b"".join(b"point %d\n" % number for number in range(1000)))
    tail, lines, reads = JournalTail(tmp_path), [], 0
    more = True
    while more:
        found, more = tail.read(256)
        assert sum(len(line) + 1 for line in found) <= 256
        lines += found
        reads += 1
    assert lines == [b"point %d" % number for number in range(1000)]
    assert reads > 10


def test_a_line_that_cannot_be_ours_is_passed_over_without_being_held(tmp_path: Path) -> None:
    write(tmp_path / "journal.lp", b"first\n" + b"x" * 5000 + b"\nlast\n")
    tail, lines, more = JournalTail(tmp_path), [], True
    while more:
        found, more = tail.read(512)
        lines += found
    assert lines == [b"first", b"last"]


def test_a_file_that_was_replaced_is_read_from_its_start(tmp_path: Path) -> None:
    tail = JournalTail(tmp_path)
    write(tmp_path / "journal.lp", b"one of many lines\n")
    tail.read()
    (tmp_path / "journal.lp").write_bytes(b"new\n")
    assert tail.read()[0] == [b"new"]


@given(pieces=st.lists(st.binary(max_size=60), max_size=12), limit=st.integers(1, 40))
def test_however_it_is_written_no_line_is_torn_or_told_twice(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], limit: int
) -> None:
    """Every line that fits into a slice is told, in order; nothing else is."""
    directory = tmp_path_factory.mktemp("tail")
    tail, told = JournalTail(directory), []
    for piece in pieces:
        write(directory / "journal.lp", piece)
        more = True
        while more:
            found, more = tail.read(limit)
            told += found
    whole = b"".join(pieces).split(b"\n")[:-1]
    remaining = iter(whole)
    assert all(line in remaining for line in told)  # in order
    assert [line for line in whole if len(line) < limit // 2] == [line for line in told if len(line) < limit // 2]
