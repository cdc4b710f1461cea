"""Which lines can be read as they are, and how the reader is told of others while it reads."""

from pathlib import Path
from threading import Event

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from switchover.analysis.requests import repair
from switchover.analysis.requests.repair import LineCheck, check_lines, is_proper, lines_checked_meanwhile
from switchover.rundir.damaged_lines import split_row

PLAIN = b"1,2,three\n"
SECONDS = 30


def test_a_reader_is_not_stopped_where_all_lines_are_plain(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(PLAIN * 9 + b"1,2")
    stopped = Event()
    with lines_checked_meanwhile(tmp_path / "log", 0, stopped.set) as check:
        assert check.result(SECONDS) == LineCheck(plain=True, tail=b"1,2")
    assert not stopped.is_set()


@pytest.mark.parametrize("line", [b'1,"2",three\n', b"1,2,three\r\n", b"1,\0,three\n", b"1,\xff,three\n"])
def test_a_reader_is_stopped_where_a_line_is_not_plain(line: bytes, tmp_path: Path) -> None:
    """More than once: the first time it may not have begun."""
    (tmp_path / "log").write_bytes(PLAIN * 9 + line)
    calls: list[int] = []
    stopped_twice = Event()

    def stop() -> None:
        calls.append(len(calls))
        if len(calls) == 2:
            stopped_twice.set()

    with lines_checked_meanwhile(tmp_path / "log", 0, stop) as check:
        assert stopped_twice.wait(SECONDS)
    assert check.result(SECONDS) == LineCheck(plain=False)


def test_nothing_is_looked_at_any_more_when_the_user_has_ended_the_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "log").write_bytes(PLAIN * 9)
    given_up = Event()
    given_up.set()
    assert not check_lines(tmp_path / "log", 0, given_up).plain

    def wait_until_given_up(path: Path, offset: int, given_up: Event) -> LineCheck:
        return LineCheck(plain=given_up.wait(SECONDS))

    monkeypatch.setattr(repair, "check_lines", wait_until_given_up)
    with pytest.raises(KeyboardInterrupt), lines_checked_meanwhile(tmp_path / "log", 0, lambda: None) as check:
        raise KeyboardInterrupt
    assert check.result().plain


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
