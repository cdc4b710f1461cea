"""Logs into one table: what is read of each, how it is told, and what is left out."""

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from support.parquet import write_parquet
from switchover.analysis.logs.account import Account
from switchover.analysis.requests import reader
from switchover.analysis.requests.identity_from import parse_identity_from
from switchover.analysis.requests.no_requests import PART
from switchover.analysis.requests.reader import HowToRead, read_logs
from switchover.analysis.requests.store import Store
from switchover.analysis.requests.table import TYPES, Requests
from switchover.model.errors import RunDirectoryError
from switchover.rundir.damaged_lines import CUT_OFF, WRONG_WIDTH
from switchover.rundir.seal import Sealer

HEAD = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success\n"
BARE = "timeStamp,elapsed,success\n"
MS = 1_767_225_600_000
NGINX = '10.0.1.2 - - [01/Jan/2026:00:00:01 +0000] "GET {} HTTP/1.1" 200 5 "-" "curl" {}:80 0.5\n'
NOT_TOLD = (
    "{}: without responseMessage, or dataType and URL, good Transaction Controllers cannot be told from requests: "
    "where the plan has some, they are counted"
)


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
    assert (found.source, found.columns) == ("samples", tuple(columns))
    return found, account


def seen(found: Requests, *columns: str) -> list[tuple[Any, ...]]:
    return found.rows(f"SELECT {', '.join(columns)} FROM {{requests}} ORDER BY part, rowid")


def refusal_of(tmp_path: Path, content: str | bytes, how: HowToRead | None = None) -> str:
    with pytest.raises(RunDirectoryError) as raised:
        read(tmp_path, content, how=how)
    return str(raised.value).replace(str(tmp_path), "")


@pytest.fixture
def only_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """No copy of a log is made."""
    monkeypatch.delattr(reader, "repair_rows")


@pytest.mark.usefixtures("only_plain")
def test_logs_are_one_table_in_their_order(tmp_path: Path) -> None:
    """A last line that was cut off is none, whether it looks whole or not."""
    first = HEAD + row("home") + "1,2\n" + row("cart", 7) + f"{MS},5,home,200,OK,u 1-1"
    second, third = HEAD + row("home") + row("buy").rstrip(), HEAD + row("pay")
    found, account = read(tmp_path, first, second, third)
    assert seen(found, "part", "label", "start_us - 1767225600000000") == [
        (0, "home", 0),
        (0, "cart", 7000),
        (1, "home", 0),
        (2, "pay", 0),
    ]
    assert account.logs == [str(tmp_path / name) for name in ("a.jtl", "b.jtl", "c.jtl")]
    assert (account.reasons, account.lost_bytes) == ({WRONG_WIDTH: 1, CUT_OFF: 2}, 4)
    assert account.text_bytes == len(first + second + third)
    assert (account.notes, account.damage) == ([], [])


def test_a_log_with_quotes_or_damage_is_read_from_a_copy(tmp_path: Path) -> None:
    damaged = HEAD + row('"home, or ""start"""') + '1,"2\n' + row("cart", 7)
    found, account = read(tmp_path, HEAD + row("pay"), damaged)
    assert seen(found, "part", "label") == [(0, "pay"), (1, 'home, or "start"'), (1, "cart")]
    assert (account.reasons, account.lost_bytes) == ({"misplaced quotes": 1}, 5)
    assert account.logs == [str(tmp_path / name) for name in ("a.jtl", "b.jtl")]


def test_under_another_header_another_log_begins(tmp_path: Path) -> None:
    """And is read as one of its own, from a copy where it has to be."""
    sections = BARE + "01/02/2026 10:00:00,5,true\n" + HEAD + row('"home"') + "1,2\n" + HEAD + row("cart")
    found, account = read(tmp_path, sections, HEAD + row("pay"))
    assert seen(found, "part", "label") == [(0, ""), (1, "home"), (1, "cart"), (2, "pay")]
    assert account.logs == [str(tmp_path / name) for name in ("a.jtl", "a.jtl", "b.jtl")]
    assert account.has_local_times
    assert account.notes == [
        "a.jtl: times are dates, read as %d/%m/%Y %H:%M:%S, in UTC: they name no zone",
        "a.jtl: 2 logs stand in it, each under another header",
        "a.jtl: times are dates, read as %d/%m/%Y %H:%M:%S, in UTC: they name no zone",
        NOT_TOLD.format("a.jtl"),
    ]
    assert account.reasons == {WRONG_WIDTH: 1, "repeated header": 1}


def test_times_without_a_zone_are_local_whatever_follows_them(tmp_path: Path) -> None:
    _, account = read(tmp_path, BARE + "01/02/2026 10:00:00,5,true\n", HEAD + row("home"))
    assert account.has_local_times


@pytest.mark.usefixtures("only_plain")
def test_what_a_log_does_not_say_of_itself_is_said_by_the_user(tmp_path: Path) -> None:
    how = HowToRead(
        parse_identity_from("server:(.+)"), ("timeStamp", "elapsed", "success", "server"), {"w1": "web1"}, "%d|%m|%Y"
    )
    found, account = read(tmp_path, "01|01|2026,5,true,w1\n02|01|2026,5,true,w2\n", how=how)
    assert seen(found, "start_us", "backend") == [(1767225600000000, "web1"), (1767312000000000, "w2")]
    assert account.notes == [
        "a.jtl: times are dates, read as %d|%m|%Y, in UTC: they name no zone",
        NOT_TOLD.format("a.jtl"),
    ]


@pytest.mark.usefixtures("only_plain")
def test_a_log_of_ours_has_parts_that_are_requests_and_a_clock_that_is_never_set(tmp_path: Path) -> None:
    head = HEAD.replace("success", "success,start_us,answered_by")
    rows = [one.replace("true", "true,1,backend") for one in (row("home", 0, 50), row("home-0", 0, 20))]
    found, account = read(tmp_path, HEAD + row("home"), head + "".join([*rows, rows[0].replace(str(MS), "1")]))
    assert seen(found, "part", "label") == [(0, "home"), (1, "home"), (1, "home-0"), (1, "home")]
    assert account.damage == []


@pytest.mark.usefixtures("only_plain")
def test_a_part_of_a_request_is_left_out(tmp_path: Path) -> None:
    """Where labels and threads are read: no other column tells it."""
    content = HEAD + row("home", 0, 50) + row("home-0", 0, 20) + row("x", 0).replace("true", "odd")
    found, account = read(tmp_path, content)
    assert seen(found, "label") == [("home",)]
    assert account.notes == ["a.jtl: 1 parts of requests (redirects, embedded resources) are not counted apart"]
    assert account.lost_bytes == len(content) // 3 and PART not in account.reasons
    for columns in (("start_us", "end_us", "label"), ("start_us", "end_us", "thread")):
        assert len(read(tmp_path, content, columns=columns)[0]) == 2


@pytest.mark.parametrize("label", ["home", '"home, or start"'])
def test_rows_of_many_samples_have_means(label: str, tmp_path: Path) -> None:
    content = HEAD.replace("success", "success,SampleCount") + row(label).replace("true", "true,3")
    found, account = read(tmp_path, content)
    assert len(found) == 3
    assert account.damage == [
        "a.jtl: 1 rows stand for several samples each (SampleCount): they are counted, but their times and latencies "
        "are means"
    ]
    assert read(tmp_path, content.replace("true,3", "true,1"))[1].damage == []


def test_logs_of_other_programs_are_read_block_by_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "GIVEN_BLOCK", 1)
    logs = [NGINX.format("/a", "10.0.2.1") + NGINX.format("/b", "10.0.2.2"), NGINX.format("/c", "10.0.2.1")]
    expected = [(0, "/a", "web1"), (0, "/b", "w2"), (1, "/c", "web1")]
    found, account = read(tmp_path, *logs, how=HowToRead(aliases={"10.0.2.1:80": "web1", "10.0.2.2:80": "w2"}))
    assert seen(found, "part", "url", "backend") == expected
    assert account.text_bytes == len("".join(logs))
    assert "a.jtl: read as" in account.notes[-2] and "b.jtl: read as" in account.notes[-1]


def test_who_answered_may_stand_in_a_variable_of_xml(tmp_path: Path) -> None:
    sample = f'<httpSample t="5" ts="{MS}" s="true" lb="home" rc="200" rm="OK" tn="u" dt="text" server="web9"/>'
    content = f'<?xml version="1.0" encoding="UTF-8"?>\n<testResults version="1.2">\n{sample}\n</testResults>\n'
    found, _ = read(tmp_path, content, how=HowToRead(parse_identity_from("server:(.+)")))
    assert seen(found, "label", "backend") == [("home", "web9")]


def test_a_compressed_log_that_is_cut_off_is_read_and_told(tmp_path: Path) -> None:
    text = (HEAD + row("home")).encode()
    found, account = read(tmp_path, gzip.compress(text)[:-4], name="{}.jtl.gz")
    assert seen(found, "label") == [("home",)]
    assert account.damage == ["a.jtl.gz: the gzip file is damaged (it is cut off): the rest is missing"]


def test_a_seal_holds_for_a_log_in_any_form(tmp_path: Path) -> None:
    """By the name that it had when it was written; of Parquet by its own. One that has grown is broken, too."""
    text = (HEAD + row("home")).encode()
    sealer = Sealer()
    sealer.add(text)
    how = HowToRead(seals={"a.jtl": [sealer.seal()]})
    for content, broken in ((text, 0), (text.replace(b"home", b"come"), 1), (text + row("x").encode(), 1)):
        _, account = read(tmp_path, content, text, how=how)
        assert [damage.name for damage in account.broken_seals] == ["a.jtl"] * broken
    _, account = read(tmp_path, gzip.compress(text + b"1"), how=how, name="{}.jtl.gz")
    assert [damage.name for damage in account.broken_seals] == ["a.jtl"]
    found, account = read(tmp_path, text)
    write_parquet(found, tmp_path / "a.parquet", account)
    sealer = Sealer()
    sealer.add((tmp_path / "a.parquet").read_bytes())
    sealer.add(b"more")
    for name, broken in (("a.parquet", 1), ("a.jtl", 0)):
        account = Account()
        how = HowToRead(seals={name: [sealer.seal()]})
        read_logs(Store(), "samples", [tmp_path / "a.parquet"], account, how)
        assert [damage.name for damage in account.broken_seals] == ["a.parquet"] * broken


@pytest.mark.parametrize("columns", [tuple(TYPES), ("start_us", "label")])
def test_parquet_has_what_was_read_of_the_log(columns: tuple[str, ...], tmp_path: Path) -> None:
    found, account = read(tmp_path, HEAD + row("home") + row("home") + row("cart") + "1,2\n")
    path = tmp_path / "it's.parquet"
    write_parquet(found, path, account)
    again = Account()
    table = read_logs(Store(), "samples", [path, path], again, None, columns)
    assert seen(table, "part", "label") == [(part, label) for part in (0, 1) for label in ("home", "home", "cart")]
    assert (again.reasons, again.logs, again.text_bytes) == (
        {WRONG_WIDTH: 2},
        [str(path)] * 2,
        2 * account.text_bytes,
    )


@pytest.mark.parametrize(
    ("columns", "what"),
    [
        (TYPES.keys() - {"label"}, "label is missing"),
        ([*(TYPES.keys() - {"nbytes"}), "'x' AS nbytes"], "nbytes is VARCHAR"),
    ],
)
def test_parquet_without_the_columns_of_a_log_is_none(columns: Sequence[str], what: str, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    found, _ = read(tmp_path, HEAD + row("home"))
    found.rows(f"COPY (SELECT {', '.join(columns)} FROM {{requests}}) TO '{path}' (FORMAT parquet)")
    with pytest.raises(RunDirectoryError) as raised:
        read_logs(Store(), "samples", [path], Account())
    assert str(raised.value) == f"{path} is no sample log: its column {what}"


@pytest.mark.parametrize(
    ("content", "how", "said"),
    [
        ("Label,# Samples,Average\n", None, "/a.jtl is the table of JMeter's Aggregate or Summary Report and has no"),
        ("a,b\n", None, "/a.jtl is no sample log: no format is known"),
        (BARE + "1|1|26,5,true\n", HowToRead(time_form="%Y"), "/a.jtl has times such as '1|1|26', and --time-format"),
        (
            HEAD + row("home"),
            HowToRead(parse_identity_from("x:(.)")),
            "--backend-from names 'x', but the log has time",
        ),
        (b"PAR1 and nothing else", None, "cannot read /a.jtl: "),
    ],
)
def test_what_cannot_be_read_is_one_clear_line(
    content: str | bytes, how: HowToRead | None, said: str, tmp_path: Path
) -> None:
    refused = refusal_of(tmp_path, content, how)
    assert refused.startswith(said) and "\n" not in refused
