"""Damage in a log, byte by byte: which lines are read as they are, and what becomes of the others."""

from pathlib import Path
from threading import Event

import pytest

from switchover.analysis.requests import repair
from switchover.analysis.requests.jtl import Layout
from switchover.analysis.requests.repair import (
    LineCheck,
    check_lines,
    copy_part,
    is_proper,
    open_log,
    repair_rows,
)
from switchover.analysis.requests.stamps import Stamps
from switchover.model.errors import RunDirectoryError
from switchover.rundir.damaged_lines import CUT_OFF, HOLE, TOO_LONG, WRONG_WIDTH, Ignored

QUOTES = "misplaced quotes"


def checked(tmp_path: Path, content: bytes, offset: int = 0, *, ended: bool = False) -> LineCheck:
    (tmp_path / "log").write_bytes(content)
    given_up = Event()
    if ended:
        given_up.set()
    return check_lines(tmp_path / "log", offset, given_up)


@pytest.fixture
def in_small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight bytes are looked at together, and a line is too long from 20 bytes on."""
    monkeypatch.setattr(repair, "CHECKED", 8)
    monkeypatch.setattr(repair, "BLOCK", 8)
    monkeypatch.setattr(repair, "LINE_LIMIT", 20)
    monkeypatch.setattr(repair, "ROW_LINES_LIMIT", 0)


@pytest.mark.usefixtures("in_small_pieces")
@pytest.mark.parametrize(
    ("content", "tail"),
    [
        (b"", b""),
        (b"1,2\n", b""),
        (b"1,2", b"1,2"),
        (b"1,2\n3,4\n5,6\n7,8", b"7,8"),
        (b"1,2\n1234567890", b"1234567890"),
        (b"123456\xc3\xa9\n12345678\n123456\xc3\xa9\n", b""),
        (b"1234567\xc3\xa9\n", b""),
        (b"1234567890123456789\n1,2\n", b""),
        (b"1234567890123456\n1,2", b"1,2"),
        (b"1234567890123456\n1234567", b"1234567"),
        (b"1\n123456\n1\n1234\n1", b"1"),
        (b"1,2\n1234567\n90123456\n1,2\n", b""),
    ],
)
def test_lines_without_damage_are_read_as_they_are(content: bytes, tail: bytes, tmp_path: Path) -> None:
    assert checked(tmp_path, content) == LineCheck(plain=True, tail=tail)
    assert checked(tmp_path, b'"\r\0\xff' + content, 4) == LineCheck(plain=True, tail=tail)


@pytest.mark.usefixtures("in_small_pieces")
@pytest.mark.parametrize(
    "content",
    [
        b'1,"2"\n',
        b"1,2\r\n",
        b"1,\0\n",
        b"1,\xff\n",
        b"1234567\xc312345678\n",
        b"1,2\n3\xc3",
        b"12345678901234567890",
        b"12345678901234567890\n",
        b"1,2\n12345678901234567890\n",
        b"1,2\n3,4\n12345678901234567890123\n1,2\n",
    ],
)
def test_a_quote_a_carriage_return_a_zero_no_text_or_a_long_line_is_damage(content: bytes, tmp_path: Path) -> None:
    assert checked(tmp_path, content) == LineCheck(plain=False)


def test_lines_are_not_looked_at_for_a_reading_that_was_ended(tmp_path: Path) -> None:
    assert checked(tmp_path, b"1,2\n", ended=True) == LineCheck(plain=False)


def repaired(tmp_path: Path, content: bytes, ignored: Ignored, delimiter: str = ",", columns: int = 2) -> bytes:
    """Behind a header of three bytes."""
    (tmp_path / "log").write_bytes(b'"h\n' + content)
    layout = Layout(["c"] * columns, 3, delimiter, Stamps())
    repair_rows(tmp_path / "log", layout, tmp_path / "repaired", ignored)
    return (tmp_path / "repaired").read_bytes()


@pytest.mark.usefixtures("in_small_pieces")
@pytest.mark.parametrize(
    ("content", "rows", "reasons", "lost_bytes"),
    [
        (b"1,2\n3,4\n", b"1,2\n3,4\n", {}, 0),
        (b"1,2\r\n3,4\r\n", b"1,2\n3,4\n", {}, 0),
        (b'1,"a, b"\n3,4\n', b'1,"a, b"\n3,4\n', {}, 0),
        (b'1,"a\nb"\n3,4\n', b'1,"a\nb"\n3,4\n', {}, 0),
        (b"1,a b\n3\xff,4\n", b"1,a b\n3\xef\xbf\xbd,4\n", {}, 0),
        (b"1,2\n3\0\n5,6\n", b"1,2\n5,6\n", {WRONG_WIDTH: 1}, 3),
        (b'1,2\n3,"4\n5,6\n', b"1,2\n5,6\n", {QUOTES: 1}, 5),
        (b"1,2\n3,4\n5,", b"1,2\n3,4\n", {CUT_OFF: 1}, 0),
        (b"1," + b"x" * 17 + b"\n3,4\n", b"1," + b"x" * 17 + b"\n3,4\n", {}, 0),
        (b"1," + b"x" * 18 + b"\n3,4\n", b"3,4\n", {TOO_LONG: 1}, 20),
        (b"1,2\n" + b"x" * 80 + b"\n3,4\n", b"1,2\n3,4\n", {TOO_LONG: 1}, 81),
        (b"1,2\n" + b"x" * 80 + b"\n" + b"y" * 80 + b"\n3,4\n", b"1,2\n3,4\n", {TOO_LONG: 2}, 162),
        (b"1,2\n3,4\n" + b"x" * 20, b"1,2\n3,4\n", {TOO_LONG: 1}, 20),
    ],
)
def test_rows_that_are_whole_are_kept_and_the_others_counted(
    content: bytes, rows: bytes, reasons: dict[str, int], lost_bytes: int, tmp_path: Path
) -> None:
    """A line that is too long is read only as far as that can be seen, and yet all of it is lost."""
    ignored = Ignored()
    assert repaired(tmp_path, content, ignored) == rows
    assert (ignored.reasons, ignored.lost_bytes) == (reasons, lost_bytes)


@pytest.mark.parametrize(
    ("content", "rows", "lost_bytes"),
    [(b"1,2\n3," + b"\0" * 64 + b"\n5,6\n", b"1,2\n5,6\n", 66), (b"1,2\n3," + b"\0" * 64, b"1,2\n", 66)],
)
def test_zero_bytes_in_place_of_text_are_a_hole(content: bytes, rows: bytes, lost_bytes: int, tmp_path: Path) -> None:
    ignored = Ignored()
    assert repaired(tmp_path, content, ignored) == rows
    assert (ignored.reasons, ignored.lost_bytes) == ({HOLE: 1}, lost_bytes)


def test_what_is_written_again_is_quoted_where_it_has_to_be(tmp_path: Path) -> None:
    content = b'a,b;c\n"d;e";f\n"g;""h";i\n"";j\nk;"l\nm"\nn\0;o\n'
    expected = b'"a,b";c\n"d;e";f\n"g;""h";i\n;j\nk;"l\nm"\nn\0;o\n'
    ignored = Ignored()
    assert repaired(tmp_path, content, ignored, ";") == expected
    assert not ignored.reasons


ROWS = 3


@pytest.mark.parametrize(
    ("line", "delimiter"),
    [
        ("1,2,three", ","),
        ('"1","two, or ""three""",4', ","),
        ('"",2,""', ","),
        ('"""",2,3', ","),
        ('1,2,"three"\r', ","),
        ("1,2,3\r", ","),
        ("1,2,zo\u00eb", ","),
        ('1;"2";3', ";"),
        ("1\u00a72", "\u00a7"),
        ("1234567,9", ","),
        ("", ","),
    ],
)
def test_a_block_of_proper_rows_is_copied(line: str, delimiter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repair, "ROW_LINES_LIMIT", ROWS - 1)
    monkeypatch.setattr(repair, "LINE_LIMIT", 10 if len(line) == 9 else 40)
    assert is_proper(f"{line}\n".encode() * ROWS, delimiter)
    assert is_proper(b"\n" + f"{line}\n".encode() * ROWS, delimiter)


@pytest.mark.parametrize(
    ("block", "delimiter"),
    [
        *[
            (f"1,2,3\n{line}\n{line}\n".encode(), ",")
            for line in (
                '1,"2,3',
                '1,2",3',
                '1, "2",3',
                '1,"2" ,3',
                '1,"2"",3',
                '""1",2,3',
                '1,"two\nlines",3',
                "1\r,2,3",
                "1,\0,3",
                '1;"2";3',
            )
        ],
        (b"1,2\n1,\xff\n1,2\n", ","),
        (b"1,2\n1,\xc3\n1,2\n", ","),
        (b"1,2\n" * 3 + b"1,2", ","),
        (b"1,2\n" * 2, ","),
        (b"1,2\n1234567890\n1,2\n1,2\n", ","),
        (b"1234567890\n1,2\n1,2\n1,2\n", ","),
        (b"1,2\n1,2\n123456789\n1234567890\n", ","),
        ('1\u00a7"2"\n'.encode() * 3, "\u00a7"),
    ],
)
def test_a_block_with_a_row_that_is_none_goes_line_by_line(
    block: bytes, delimiter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one whose lines a row before it may still span, or of a delimiter of several bytes with quotes."""
    monkeypatch.setattr(repair, "ROW_LINES_LIMIT", ROWS - 1)
    monkeypatch.setattr(repair, "LINE_LIMIT", 10 if b"123456789" in block else 40)
    assert is_proper(block, delimiter) is False


@pytest.mark.parametrize(("begin", "end"), [(0, 10), (3, 10), (3, 9), (5, 5), (9, 20)])
def test_a_part_of_a_log_is_copied(begin: int, end: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repair, "BLOCK", 4)
    (tmp_path / "log").write_bytes(b"0123456789ab")
    copy_part(tmp_path / "log", tmp_path / "part", begin, end)
    assert (tmp_path / "part").read_bytes() == b"0123456789ab"[begin:end]


def test_a_log_that_cannot_be_opened_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(RunDirectoryError) as raised:
        open_log(tmp_path / "absent")
    assert str(raised.value) == f"cannot read {tmp_path / 'absent'}: No such file or directory"
