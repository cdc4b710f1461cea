"""Logs as files: which are read, in which form, and the rule for each kind of odd input."""

import gzip
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from support.zstd import compress_zstd
from switchover.evidence.logs.format import Account
from switchover.evidence.requests.files import is_log, require_directory, stem_of, text_bytes, why_not_read
from switchover.evidence.requests.jtl import DEFAULT, DELIMITERS, layout_of
from switchover.evidence.requests.reader import HowToRead, read_logs
from switchover.evidence.requests.stamps import Stamps
from switchover.evidence.requests.store import Store
from switchover.evidence.requests.table import TYPES, Requests
from switchover.model.errors import RunDirectoryError
from switchover.rundir.damaged_lines import CUT_OFF, WRONG_WIDTH

HEAD = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success\n"
BARE = "timeStamp,elapsed,success\n"
MS = 1_767_225_600_000
OPEN_QUOTE = "a.jtl: line {} has a quote without an end, or is too long, so rows are missing"


def row(label: str, at_ms: int = 0, took_ms: int = 5) -> str:
    return f"{MS + at_ms},{took_ms},{label},200,OK,u 1-1,true\n"


def read(
    tmp_path: Path,
    *contents: str | bytes,
    how: HowToRead | None = None,
    columns: Sequence[str] = tuple(TYPES),
    name: str = "{}.jtl",
) -> tuple[Requests, Account]:
    """Logs that are called a.jtl, b.jtl, …"""
    account, paths = Account(), [tmp_path / name.format(letter) for letter in "abc"[: len(contents)]]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    found = read_logs(Store(), "samples", paths, account, how, columns)
    tables = "SELECT table_name FROM duckdb_tables() WHERE schema_name = current_schema() OR temporary"
    assert found.rows(tables) == [("samples",)]
    return found, account


def seen(found: Requests, *columns: str) -> list[tuple[Any, ...]]:
    return found.rows(f"SELECT {', '.join(columns)} FROM {{requests}} ORDER BY part, rowid")


def labels(found: Requests) -> list[str]:
    return [label for (label,) in seen(found, "label")]


def test_logs_are_one_table_in_their_order(tmp_path: Path) -> None:
    """A last line that was cut off is left out, whether it looks whole or not."""
    first = HEAD + row("home") + "1,2\n" + row("cart", 7) + f"{MS},5,home,200,OK,u 1-1"
    second, third = HEAD + row("home") + row("buy").rstrip(), HEAD + row("pay")
    found, account = read(tmp_path, first, second, third)
    assert seen(found, "part", "label") == [(0, "home"), (0, "cart"), (1, "home"), (2, "pay")]
    assert account.logs == [str(tmp_path / name) for name in ("a.jtl", "b.jtl", "c.jtl")]
    assert (account.reasons, account.lost_bytes) == ({WRONG_WIDTH: 1, CUT_OFF: 2}, 4)
    assert account.text_bytes == len(first + second + third)
    assert (account.notes, account.damage) == ([], [])


MANY = HEAD.replace("success", "success,SampleCount") + row("one").replace("true", "true,3")
QUOTED = row('"home, or ""start"""')


@pytest.mark.parametrize(
    ("content", "expected", "reasons", "damage"),
    [
        (HEAD + QUOTED + row('"two\nlines"'), ['home, or "start"', "two\nlines"], {}, []),
        ((HEAD + QUOTED).replace("\n", "\r\n"), ['home, or "start"'], {}, []),
        (HEAD + row("one") + "\n" + row("two"), ["one", "two"], {}, []),
        (HEAD + row('"a\rb"') + row("two"), ["a\rb", "two"], {}, []),
        (HEAD + row('a "quote" within') + row("two"), ['a "quote" within', "two"], {}, []),
        (HEAD + row("one") + HEAD + row("two"), ["one", "two"], {"repeated header": 1}, []),
        (
            HEAD.encode() + row("caf").encode().replace(b"f", b"f\xe9") + row("x").encode(),
            ["x"],
            {"not UTF-8": 1},
            [],
        ),
        (HEAD + row("one") + "\0" * 90 + "\n" + row("two"), ["one", "two"], {WRONG_WIDTH: 1}, []),
        (HEAD + row('"home"x') + row("two"), ["two"], {}, [2]),
        (MANY + row("two").replace("true", "true,1"), ["two"], {"several samples in one row": 1}, []),
        (HEAD + row('"open') + row("two") + row("three"), [], {}, [2]),
        (HEAD + row("one") + row("x" * (2 << 20)) + row("two"), ["one", "two"], {}, [3]),
    ],
)
def test_the_rule_for_each_kind_of_odd_line(
    content: str | bytes, expected: list[str], reasons: dict[str, int], damage: list[int], tmp_path: Path
) -> None:
    found, account = read(tmp_path, content)
    assert (labels(found), account.reasons) == (expected, reasons)
    assert account.damage == [OPEN_QUOTE.format(line) for line in damage]


def test_line_ends_of_several_kinds_are_damage(tmp_path: Path) -> None:
    found, account = read(tmp_path, HEAD + row("one") + row("two").replace("\n", "\r\n"))
    assert labels(found) == ["one", "two"]
    assert account.damage == ["a.jtl: the lines have different endings, or a line contains a carriage return"]


@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_columns_may_be_divided_by_other_characters(delimiter: str, tmp_path: Path) -> None:
    head, rows = BARE.replace(",", delimiter), f"{MS},5,true\n".replace(",", delimiter)
    assert seen(read(tmp_path, "\ufeff" + head + rows)[0], "start_us") == [(MS * 1000,)]


@pytest.mark.parametrize(
    ("stamp", "note"),
    [
        ("1767225600123", None),
        ("2026/01/01 00:00:00.123", "ISO 8601, in UTC: they have no time zone"),
        ("2026-01-01T01:00:00,123+01:00", "ISO 8601"),
        ("2026-01-01T00:00:00.123Z", "ISO 8601"),
    ],
)
def test_times_are_milliseconds_or_dates_of_iso_8601(stamp: str, note: str | None, tmp_path: Path) -> None:
    found, account = read(tmp_path, f"timeStamp;elapsed;success\n{stamp};5;true\n")
    assert seen(found, "start_us") == [(1_767_225_600_123_000,)]
    assert [one for one in account.notes if "times are" in one] == (
        [f"a.jtl: times are read as {note}"] if note else []
    )


def test_a_date_without_a_time_zone_is_in_utc_wherever_the_machine_is() -> None:
    store = Store()
    store.rows("SET TimeZone = 'America/New_York'")
    number = Stamps(is_date=True, is_local=True).number_sql("'2026/01/01 00:00:00.123'")
    found = store.row(f"SELECT {number}")
    assert found == (1_767_225_600_123_000,)
    assert Store().row("SELECT current_setting('TimeZone')") != ("America/New_York",)


def test_the_first_thousand_rows_show_the_format_of_the_times(tmp_path: Path) -> None:
    path = tmp_path / "log.jtl"
    path.write_bytes(
        b"timeStamp,elapsed,success\n" + b"1767225600000,1,true\n" * 1000 + b"2026-01-01,1,true\n" * 1001
    )
    assert not layout_of(path, path).stamps.is_date


def test_aliases_name_the_backends(tmp_path: Path) -> None:
    how = HowToRead(aliases={"w1": "web1"})
    log = f"timeStamp,elapsed,success,backend\n{MS},5,true,w1\n{MS},5,true,w2\n"
    found, account = read(tmp_path, log, how=how)
    assert seen(found, "backend") == [("web1",), ("w2",)]
    assert "successful Transaction Controllers, if the plan has any, are counted as requests" in account.notes[0]


def test_a_log_of_ours_has_parts_that_are_requests_and_a_clock_that_is_never_set(tmp_path: Path) -> None:
    head = HEAD.replace("success", "success,start_us,end_us,answered_by")
    rows = [
        f"{one.rstrip()},{at},{at + 5},backend\n"
        for at, one in ((90, row("home")), (91, row("home-0")), (1, row("a")))
    ]
    found, account = read(tmp_path, HEAD + row("home"), head + "".join(rows))
    assert labels(found) == ["home", "home", "home-0", "a"] and account.damage == []


@pytest.mark.parametrize("pack", [gzip.compress, compress_zstd])
def test_a_log_may_be_compressed(pack: Any, tmp_path: Path) -> None:
    found, account = read(tmp_path, pack((HEAD + row("home")).encode()))
    assert labels(found) == ["home"] and account.damage == []


NO_FORMAT = "is not a log in a known format: it begins with {!r}"
NO_HEADER = "has no header line: write the names of its columns into the first line, such as"
DATES = "has times such as '31|12|2025': convert them to milliseconds since 1970 or to ISO 8601"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty: it has no header line"),
        (HEAD.rstrip(), "was cut off: its header line has no end, and it has no row"),
        (b"a\0b\n", NO_FORMAT.format("a\0b")),
        ((HEAD + row("home")).encode("utf-16"), NO_FORMAT.partition("{")[0]),
        ("a,b,c\n", NO_FORMAT.format("a,b,c")),
        ("Type,Name,Request Count\n", NO_FORMAT.format("Type,Name,Request Count")),
        (f"{MS},5,True\n", f"{NO_HEADER} {DEFAULT}"),
        (BARE + "31|12|2025,5,true\n", DATES),
        (BARE + "31/12/2025 10:00:00,5,true\n", DATES.replace("31|12|2025", "31/12/2025 10:00:00")),
        (BARE + "1767225600.123,5,true\n", DATES.replace("31|12|2025", "1767225600.123")),
        (BARE + "1767225600123000,5,true\n", DATES.replace("31|12|2025", "1767225600123000")),
    ],
)  # fmt: skip
def test_what_is_no_log_is_refused_in_one_line(content: str | bytes, said: str, tmp_path: Path) -> None:
    with pytest.raises(RunDirectoryError) as raised:
        read(tmp_path, content)
    assert str(raised.value).startswith(f"{tmp_path}/a.jtl {said}") and "\n" not in str(raised.value)


def test_a_log_is_a_file_of_any_name_or_named_like_one(tmp_path: Path) -> None:
    (tmp_path / "results.csv").touch()
    names = ("results.csv", "a.jtl", "a.jtl.gz", "a.jtl.zst", "run", "a.jtl.xz")
    assert [is_log(tmp_path / name) for name in names] == [True] * 4 + [False] * 2
    assert [stem_of(Path("run", name)) for name in names] == ["results.csv", "a", "a", "a", "run", "a.jtl.xz"]
    (tmp_path / "a.jtl").write_text(BARE)
    (tmp_path / "a.jtl.gz").write_bytes(gzip.compress(b""))
    sizes = [(tmp_path / name).stat().st_size for name in ("a.jtl", "a.jtl.gz")]
    assert text_bytes([tmp_path / "a.jtl", tmp_path / "a.jtl.gz"]) == sizes[0] + 10 * sizes[1]


def test_what_is_no_file_is_named_as_what_it_is(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    pipe = "a pipe or a device can be read only once: save the data as a file, and give the path of the file"
    found = [why_not_read(tmp_path / name) for name in (".", "absent", "pipe")]
    assert found == [None, "no such file or directory", pipe]
    require_directory(tmp_path)
    with pytest.raises(RunDirectoryError, match=r"absent is not a directory .no such file"):
        require_directory(tmp_path / "absent")
