"""Which lines DuckDB reads as they are, and how the others are copied."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from switchover.analysis.requests import repair
from switchover.analysis.requests.jtl import Layout
from switchover.analysis.requests.repair import is_proper, read_tail, repair_rows
from switchover.analysis.requests.stamps import Stamps
from switchover.rundir.damaged_lines import CUT_OFF, HOLE, LINE_LIMIT, TOO_LONG, WRONG_WIDTH, Ignored, split_row

PLAIN = b"1,2,three\n"


def test_the_end_of_a_plain_log_is_its_open_line(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(PLAIN * 9)
    assert read_tail(tmp_path / "log", 0) == b""
    (tmp_path / "log").write_bytes(PLAIN * 9 + b"1,2")
    assert read_tail(tmp_path / "log", 0) == b"1,2"


@pytest.mark.parametrize(
    "line", [b'1,"2",three\n', b"1,2,three\r\n", b"1,\0,three\n", b"1,\xff,three\n", b"1" * LINE_LIMIT + b"\n"]
)
def test_a_log_with_such_a_line_is_not_plain(line: bytes, tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(PLAIN * 9 + line)
    assert read_tail(tmp_path / "log", 0) is None


@pytest.mark.parametrize(
    "line", ['1,"two, or ""three""",4', '"",2,""', '"""",2,3', "1,2,zo\u00eb", '1,2,"three"\r', "1,2,3\r", "1;2"]
)
def test_a_block_of_proper_rows_is_copied(line: str) -> None:
    assert is_proper(f"{line}\n".encode() * 1000, ",")


@pytest.mark.parametrize(
    "line",
    ['1,"2,3', '1,2",3', '1, "2",3', '1,"2" ,3', '1,"2"",3', '""1",2,3', '1,"two\nlines",3', "1\r,2,3", "1,\0,3"],
)
def test_a_block_with_a_row_that_is_none_goes_line_by_line(line: str) -> None:
    assert not is_proper(f"1,2,3\n{line}\n{line}\n".encode() * 1000, ",")


@settings(max_examples=1000)
@given(st.text('1,;"\n\r', max_size=40))
def test_rows_of_a_block_that_is_copied_are_rows_one_by_one(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repair, "ROW_LINES_LIMIT", 0)
        if is_proper(f"{text}\n".encode(), ","):
            assert all(split_row(line.removesuffix("\r")) is not None for line in text.split("\n") if line)
            assert "\r" not in text.replace("\r\n", "")[:-1]


QUOTES = "misplaced quotes"


@pytest.fixture
def in_small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line is a block, and a line is too long from 20 bytes on."""
    monkeypatch.setattr(repair, "BLOCK_LINES", 1)
    monkeypatch.setattr("switchover.rundir.damaged_lines.LINE_LIMIT", 20)
    monkeypatch.setattr(repair, "ROW_LINES_LIMIT", 0)


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
        (b"1," + b"x" * 18 + b"\n3,4\n", b"3,4\n", {TOO_LONG: 1}, 21),
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
    [(b"1,2\n3," + b"\0" * 64 + b"\n5,6\n", b"1,2\n5,6\n", 67), (b"1,2\n3," + b"\0" * 64, b"1,2\n", 66)],
)
def test_zero_bytes_in_place_of_text_are_a_hole(content: bytes, rows: bytes, lost_bytes: int, tmp_path: Path) -> None:
    ignored = Ignored()
    assert repaired(tmp_path, content, ignored) == rows
    assert (ignored.reasons, ignored.lost_bytes) == ({HOLE: 1}, lost_bytes)


def test_what_is_written_again_is_quoted_where_it_has_to_be(tmp_path: Path) -> None:
    content = b'a,b;c\n"d;e";f\n"g;""h";i\n"";j\nk;"l\nm"\nn\0;o\np\r;q\n'
    expected = b'"a,b";c\n"d;e";f\n"g;""h";i\n;j\nk;"l\nm"\nn\0;o\n"p\r";q\n'
    ignored = Ignored()
    assert repaired(tmp_path, content, ignored, ";") == expected
    assert not ignored.reasons
