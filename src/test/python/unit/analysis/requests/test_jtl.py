"""JMeter's CSV: how its rows are written, as its first line and its first rows say, and why a file is none."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from switchover.analysis.requests import jtl
from switchover.analysis.requests.jtl import DEFAULT, DELIMITERS, Layout, layout_of, sections_of
from switchover.analysis.requests.stamps import Stamps
from switchover.model.errors import RunDirectoryError

THREE = ["timeStamp", "elapsed", "success"]
HEAD = b"timeStamp,elapsed,success"
SECONDS, UNSURE = Stamps("s", sure=True), Stamps()
ROW = b"1767225600,5,true\n"
NAMED = Path("logs", "a.jtl.gz")


def layout_in(tmp_path: Path, content: bytes, *how: Any, **named: Any) -> Layout:
    (tmp_path / "text").write_bytes(content)
    return layout_of(tmp_path / "text", NAMED, *how, **named)


def refusal_of(tmp_path: Path, content: bytes, *how: Any) -> str:
    with pytest.raises(RunDirectoryError) as raised:
        layout_in(tmp_path, content, *how)
    return str(raised.value)


@pytest.mark.parametrize(
    ("first", "header"),
    [
        (HEAD + b"\n", THREE),
        (b"\xef\xbb\xbf" + HEAD + b"\r\n", THREE),
        (HEAD + b",X\n", [*THREE, "X"]),
        (b'"timeStamp", elapsed ,success,caf\xff\r\n', [*THREE, "caf\ufffd"]),
        (HEAD.replace(b",", b"\t") + b"\t\n", [*THREE, ""]),
    ],
)
def test_a_header_names_the_columns_in_any_form(first: bytes, header: list[str], tmp_path: Path) -> None:
    delimiter = "\t" if b"\t" in first else ","
    rest = first.count(delimiter.encode()) - 2
    row = ROW.rstrip().replace(b",", delimiter.encode()) + delimiter.encode() * rest + b"\n"
    found = layout_in(tmp_path, first + row, columns=["other"] * 3)
    assert found == Layout(header, len(first), delimiter, SECONDS)


@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_columns_may_be_divided_by_other_characters(delimiter: str, tmp_path: Path) -> None:
    """With a header, and by the columns that the user says where there is none."""
    head, row = (text.replace(b",", delimiter.encode()) for text in (HEAD + b"\n", ROW))
    assert layout_in(tmp_path, head + row) == Layout(THREE, len(head), delimiter, SECONDS)
    assert layout_in(tmp_path, row, THREE) == Layout(THREE, 0, delimiter, SECONDS)


@pytest.mark.parametrize("first", [b'1767225600,5,"true\n', b"1767225600;5\n"])
def test_where_the_first_row_does_not_tell_what_divides_columns_it_is_a_comma(first: bytes, tmp_path: Path) -> None:
    assert layout_in(tmp_path, first + ROW, THREE) == Layout(THREE, 0, ",", SECONDS)


@pytest.mark.parametrize(
    ("rows", "stamps"),
    [
        (b"", UNSURE),
        (b"\n1\r2,3,4\n5,6\ncaf\xff,7,8\n" + ROW * 3, SECONDS),
        (b'"1767225600",5,true\r\n', SECONDS),
        (b"1767225600,5,true,more\n", UNSURE),
        (ROW.rstrip(), SECONDS),
    ],
)
def test_times_are_looked_for_in_rows_that_can_be_read(rows: bytes, stamps: Stamps, tmp_path: Path) -> None:
    assert layout_in(tmp_path, HEAD + b"\n" + rows).stamps == stamps


def test_a_row_may_end_with_a_field_that_is_empty(tmp_path: Path) -> None:
    content = (HEAD + b",URL\n" + ROW.rstrip() + b",\n").replace(b",", b"\t")
    assert layout_in(tmp_path, content).stamps == SECONDS


def test_times_are_those_of_the_first_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jtl, "LOOKED_AT", 2)
    assert layout_in(tmp_path, HEAD + b"\n" + ROW * 2 + b"1767225600000,5,true\n" * 3).stamps == SECONDS


def test_no_line_is_read_beyond_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jtl, "LINE_LIMIT", 40)
    content = HEAD + b"\n1767225600," + b"5" * 40 + b",true\n"
    assert layout_in(tmp_path, content).stamps == UNSURE
    assert "was cut off" in refusal_of(tmp_path, HEAD + b",label,message,code\n" + ROW)


@pytest.mark.parametrize(
    ("time_form", "rows", "said"),
    [
        ("", b"31|12|2025 23:59:59", "no known form reads it: --time-format 'dd|MM|yyyy HH:mm:ss' reads it"),
        (
            "",
            b"31|31|2025 23:59:59",
            "no known form reads it: --time-format 'yyyy/MM/dd HH:mm:ss.SSS', say, tells how to read it",
        ),
        (
            "%Y",
            b"31|12|2025 23:59:59",
            "--time-format does not read it: --time-format 'dd|MM|yyyy HH:mm:ss' reads it",
        ),
    ],
)
def test_of_dates_that_cannot_be_read_the_first_is_shown(
    time_form: str, rows: bytes, said: str, tmp_path: Path
) -> None:
    """Also where it stands in the first line, since the user says the columns."""
    later = b",5,true\n01|01|2026 00:00:00,5,true\n"
    expected = (
        f"logs/a.jtl.gz has times such as '{rows.decode()}', and {said} "
        "(as JMeter's timestamp_format has it, or as strptime)"
    )
    assert refusal_of(tmp_path, HEAD + b"\n ,5,true\n" + rows + later, (), time_form) == expected
    assert refusal_of(tmp_path, rows + later, THREE, time_form) == expected


def test_a_form_that_the_user_says_is_taken_even_where_there_is_no_row(tmp_path: Path) -> None:
    expected = Stamps(unit="", form="%d|%m|%Y")
    for rows in (b"", b"31|12|2025,5,true\n"):
        assert layout_in(tmp_path, HEAD + b"\n" + rows, (), "%d|%m|%Y").stamps == expected


NO_TEXT = "is no sample log: it is not text, and compressed by nothing that is known (gzip, zstd, xz, bzip2, zip)"
NO_FORMAT = (
    "is no sample log: no format is known that begins {!r}. JMeter's header has timeStamp, elapsed, success in it "
    "(print_field_names=true); docs/logs.md has what else is read, and how it has to be written"
)
NO_HEADER = "has no header line: it begins with a row of {} columns. Say what they are with --columns {}"
LETTERS = "abcdefghij" * 30


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty: it has no header line"),
        (HEAD, "has no header line that ends, and no row: it was cut off"),
        (
            HEAD + b"\r" + ROW.replace(b"\n", b"\r") * 2,
            "ends its lines with a carriage return alone: tr '\\r' '\\n' < a.jtl.gz makes a log of it",
        ),
        (b"\n\r\n", "is empty: it has no header line"),
        (b"\r\n\nhello\n", NO_FORMAT.format("hello")),
        (b"a\0b\n", NO_TEXT),
        (LETTERS[:199].encode() + b"\xff\n", NO_TEXT),
        (LETTERS[:200].encode() + b"\xff\n", NO_FORMAT.format(LETTERS[:60])),
        (b'"a,b,c\n', NO_FORMAT.format('"a,b,c')),
        (b"a\rb\n", NO_FORMAT.format("a\rb")),
        (b"a,b,c\n", NO_FORMAT.format("a,b,c")),
        (b"true\n", NO_FORMAT.format("true")),
        (b"1,5;2;True\n", NO_HEADER.format(3, "timeStamp,elapsed,…")),
        (b"1,2,FALSE\n", NO_HEADER.format(3, "timeStamp,elapsed,…")),
        (b"true" + b",x" * 15 + b"\n", NO_HEADER.format(16, "timeStamp,elapsed,…")),
        (b"true" + b",x" * 16 + b"\n", NO_HEADER.format(17, DEFAULT)),
        (b"true" + b",x" * 17 + b"\n", NO_HEADER.format(18, "timeStamp,elapsed,…")),
    ],
)
def test_what_is_no_log_says_why(content: bytes, said: str, tmp_path: Path) -> None:
    assert refusal_of(tmp_path, content) == f"logs/a.jtl.gz {said}"


def test_columns_have_to_name_what_every_request_needs(tmp_path: Path) -> None:
    expected = "--columns lacks elapsed, success, which every request needs"
    assert refusal_of(tmp_path, ROW, ["timeStamp", "took", "good"]) == expected


def sections_in(tmp_path: Path, *lines: bytes, header: Sequence[str] = THREE, delimiter: str = ",") -> list[int]:
    """By the numbers of their lines; the first one is the header."""
    (tmp_path / "text").write_bytes(b"".join(lines))
    begins = [len(b"".join(lines[:number])) for number in range(len(lines))]
    layout = Layout(header, len(lines[0]), delimiter, UNSURE)
    return [begins.index(begin) for begin in sections_of(tmp_path / "text", layout)]


FIRST, LABELLED, OTHER = HEAD + b"\n", HEAD + b",label\n", HEAD.replace(b",", b";") + b"\n"
IN_A_ROW = b"1,2,see timeStamp,elapsed\n"


def test_a_section_begins_where_another_header_than_the_last_one_stands(tmp_path: Path) -> None:
    sections = [LABELLED, ROW, IN_A_ROW, LABELLED, ROW, OTHER, ROW, FIRST, ROW, ROW]
    assert sections_in(tmp_path, FIRST, ROW, IN_A_ROW, FIRST, ROW, *sections) == [5, 10, 12]
    assert sections_in(tmp_path, FIRST, ROW, OTHER.rstrip()) == [2]
    assert sections_in(tmp_path, FIRST, ROW, b"\xef\xbb\xbf" + HEAD + b",caf\xff\r\n") == [2]


@pytest.mark.parametrize(
    ("header", "delimiter", "names"),
    [
        (HEAD + b"\r\n", ",", THREE),
        (b"\xef\xbb\xbf" + HEAD + b"\n", ",", THREE),
        (HEAD + b",X\n", ",", [*THREE, "X"]),
        (HEAD.replace(b",", b"\t") + b"\t\n", "\t", [*THREE, ""]),
    ],
)
def test_the_same_header_begins_no_section(header: bytes, delimiter: str, names: list[str], tmp_path: Path) -> None:
    assert sections_in(tmp_path, header, ROW, header, ROW, header=names, delimiter=delimiter) == []


def test_without_a_header_a_section_may_begin_behind_what_only_begins_like_one(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"timeStamp\n" + ROW + OTHER)
    assert sections_of(tmp_path / "text", Layout(THREE, 0, ",", UNSURE)) == [10 + len(ROW)]


@pytest.mark.parametrize(("limit", "found"), [(len(LABELLED) - 1, []), (len(LABELLED), [5])])
def test_a_line_beyond_the_limit_is_no_header(
    limit: int, found: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of those bytes its end is none."""
    monkeypatch.setattr(jtl, "LINE_LIMIT", limit)
    assert sections_in(tmp_path, FIRST, ROW, ROW, ROW, ROW, LABELLED) == found
