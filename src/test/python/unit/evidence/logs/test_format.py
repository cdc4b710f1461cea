"""What is common to all formats: the head of a file, its lines, columns and numbers."""

import csv
from pathlib import Path

import pytest

from support.foreign_logs import read_log
from switchover.evidence.logs.format import (
    HEAD_BYTES,
    UNREADABLE,
    LoggedRequest,
    LogHead,
    fields_of,
    head_of_text,
    is_true,
    line_format,
    names_in,
)


def head_of(folder: Path, content: bytes) -> LogHead:
    path = folder / "any.log"
    path.write_bytes(content)
    return head_of_text(path)


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"a\nb\n", ("a", "b")),
        (b"aX\r\nb \r\ncut o", ("aX", "b ")),
        (b"one long line", ("one long line",)),
        (b"\xef\xbb\xbfa\nb\xff\n", ("a", "b\ufffd")),
        (b"\n", ("",)),
        (b"", ("",)),
        (b"a\n" + b"x" * (HEAD_BYTES - 3) + b"\nb\n", ("a", "x" * (HEAD_BYTES - 3))),
        (b"a\n" + b"x" * (HEAD_BYTES - 2) + b"\nb\n", ("a",)),
    ],
)
def test_the_head_of_a_file_has_its_first_whole_lines(content: bytes, lines: tuple[str, ...], tmp_path: Path) -> None:
    assert head_of(tmp_path, content).lines == lines


@pytest.mark.parametrize(
    ("line", "names", "fields"),
    [
        ('a,"b,c"', ["a", "b,c"], {}),
        ('{"a": 1}', ['{"a": 1}'], {"a": 1}),
        ("[1]", ["[1]"], {}),
        ("[" * 100_000, ["[" * 100_000], {}),
        ("a\rb,c", [], {}),
        ("", [], {}),
    ],
)
def test_the_first_line_may_be_a_header_or_an_object(line: str, names: list[str], fields: dict[str, object]) -> None:
    head = LogHead((line, "x,y"))
    assert (head.names, head.json) == (names, fields)


def test_lines_become_requests_and_those_behind_one_that_is_none_as_well(tmp_path: Path) -> None:
    """Lines are an error's name, a code, or `skip`."""
    kinds: list[type[Exception]] = [ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError]
    errors = {kind.__name__: kind for kind in (*kinds, RecursionError, csv.Error)}

    def parse(line: bytes) -> LoggedRequest | None:
        text = line.decode()
        if text in errors:
            raise errors[text]
        return None if text == "skip" else LoggedRequest(start_us=-1 if text == "early" else 1, code=text)

    form = line_format("any", parse)
    lines = ["200", "skip", "", " ", "101", *errors, "early", "101", "404"]
    requests, account = read_log(form, tmp_path, *lines)
    assert [request.code for request in requests] == ["200", "early", "404"], "the table tells times that cannot be"
    assert account.reasons == {UNREADABLE: len(errors)}
    assert account.lost_bytes == sum(len(name) + 1 for name in errors)
    assert account.notes == [
        "result.out: 2 connections that switched to another protocol (status 101) are not counted, because the lines "
        "have no response time"
    ]


def test_columns_are_found_by_name(tmp_path: Path) -> None:
    path = tmp_path / "any.csv"
    path.write_bytes(b"\xef\xbb\xbfa,caf\xe9,a \r\n1,2,3\n")
    names = names_in(path)
    assert names == ["a", "caf\ufffd", "a "]
    assert fields_of(names, b'1,"x,""y",3\r') == {"a": "1", "caf\ufffd": 'x,"y', "a ": "3"}
    assert fields_of(names, b"1,caf\xe9,3")["caf\ufffd"] == "caf\ufffd"
    assert [fields_of(["a", "b"], line)["b"] for line in (b"1,X\r", b"1,2 \r", b"X,1\r2")] == ["X", "2 ", "1\r2"]
    with pytest.raises(ValueError):
        fields_of(names, b"1,2")


@pytest.mark.parametrize(
    ("text", "success"),
    [("true", True), ("TRUE", True), ("1", True), ("false", False), ("False", False), ("0", False)],
)
def test_success_is_written_in_any_case_or_as_a_number(text: str, *, success: bool) -> None:
    assert is_true(text) is success
