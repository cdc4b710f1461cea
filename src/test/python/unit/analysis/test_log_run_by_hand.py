"""Logs of any load generator as a run: what it is called, where it ends, and why it cannot be trusted."""

import gzip
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.request_tables import samples_of, table_of
from switchover.analysis import log_run
from switchover.analysis.log_run import load_logs, load_split_logs, silences_of
from switchover.analysis.requests.reader import HowToRead
from switchover.analysis.requests.table import TYPES
from switchover.analysis.silences import LogScope
from switchover.model.errors import RunDirectoryError, UsageError
from switchover.model.interval import Span
from switchover.rundir.run_directory import Plan
from synthetic import SECOND, sample

HEAD = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success"
HOUR_S = 3600
BEGIN_US = 1_767_225_600 * SECOND
"""2026-01-01 00:00:00 UTC."""


def row(at_s: float, took_ms: int = 20) -> str:
    return f"{BEGIN_US // 1000 + round(at_s * 1000)},{took_ms},home,200,OK,user 1-1,true"


def log(path: Path, *rows: str, head: Sequence[str] = (HEAD,)) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in (*head, *rows)), encoding="utf-8")
    return path


def plan(from_s: float, to_s: float) -> Plan:
    """To the microsecond behind the end of the last request."""
    return Plan(start_us=BEGIN_US + round(from_s * SECOND), end_us=BEGIN_US + round(to_s * SECOND) + 1)


def test_a_log_is_a_run_of_its_name_without_probes_and_without_a_fault(tmp_path: Path) -> None:
    data = load_logs([log(tmp_path / "a.jtl", row(0.125), row(5, 3_000), row(6))])
    assert (data.run.id, data.run.name, data.run.fault) == ("a.jtl", "a.jtl", None)
    assert data.run.plan == plan(0.125, 8) and data.run.settings.probe_rate == 0
    assert (len(data.probes), len(data.samples), data.samples.columns) == (0, 3, tuple(TYPES))
    assert (data.unread, data.run.warnings, data.lost_rows) == ((), [], {"samples": 0})


def test_requests_of_several_logs_are_added_and_files_are_judged_one_by_one(tmp_path: Path) -> None:
    logs = [log(tmp_path / "a" / "x.jtl", row(0.1), row(1.1)), log(tmp_path / "b" / "x.jtl", row(2.1))]
    data = load_logs(logs)
    assert data.run.name == "x.jtl and 1 more" and data.run.plan == plan(0.1, 2.12) and len(data.samples) == 3
    assert data.scope.files == {str(logs[0]): [0], str(logs[1]): [1]}
    joined = load_logs(logs, HowToRead(clocks_within_us=50_000))
    assert (joined.scope.files, joined.scope.bound_us) == ({}, 50_000)
    assert load_logs(logs[:1]).scope == LogScope()


def test_the_longest_time_without_a_request_is_named_if_it_is_ten_minutes(tmp_path: Path) -> None:
    data = load_logs([log(tmp_path / "a.jtl", *map(row, (0, 700, 8_000)))])
    assert data.unread == () and data.run.warnings == [
        "no request for 122 minutes, from 2026-01-01 00:11:40 to 2026-01-01 02:13:20 UTC: if the log holds two runs, "
        "--split judges each of them"
    ]


def test_rows_that_no_client_can_have_written_make_a_log_untrusted(tmp_path: Path) -> None:
    rows = [row(0.1), row(1.1, 400 * 86_400_000), row(2.1), row(3.1, -5)]
    data = load_logs([log(tmp_path / "a.jtl", *rows)])
    assert len(data.samples) == 2 and data.lost_rows == {"samples": 2}
    assert data.unread[0].startswith("a.jtl: 2 rows have times that no client can have written")
    assert data.unread[0].endswith("the first is row 2")


def test_a_clock_that_was_set_back_makes_a_log_untrusted(tmp_path: Path) -> None:
    data = load_logs([log(tmp_path / "a.jtl", *map(row, (0.1, 5.1, 3.1)))])
    assert data.unread == (
        "a.jtl: the times run backwards by 2.0 s at row 3: a clock was set, or rows of several sources are mixed",
    )
    with_users = [row(at).replace("1-1", f"1-{user}") for at, user in ((0.1, 1), (5.1, 1), (3.1, 2))]
    assert load_logs([log(tmp_path / "b.jtl", *with_users)]).unread == (), "hosts send their rows in batches"


def test_only_what_is_asked_for_is_read_as_the_user_says(tmp_path: Path) -> None:
    how = HowToRead(columns=("timeStamp", "elapsed", "success"))
    path = log(tmp_path / "a.jtl", f"{BEGIN_US // 1000},20,true", head=())
    columns = ("start_us", "end_us", "thread", "label", "success")
    for data in (load_logs([path], how, columns), *load_split_logs([path], how, columns)):
        assert data.samples.columns == columns and len(data.samples) == 1


@pytest.mark.parametrize(
    ("times_s", "silences_s"),
    [
        ([(0, 1), (601, 602)], []),
        ([(0, 1), (601.001, 602)], [(1, 601.001)]),
        ([(2_000, 2_001), (0, 1)], [(1, 2_000)]),
        ([(0, 900), (10, 11), (1_400, 1_401)], []),
        ([(0, 1), (500, 501), (1_000, 1_001), (1_500, 1_501)], []),
        ([(0, 1_500), (700, 701), (1_400, 1_401), (2_200, 2_201), (3_000, 3_001)], [(1_500, 2_200), (2_201, 3_000)]),
    ],
)
def test_it_is_silent_where_for_more_than_ten_minutes_none_was_sent_and_none_waited(
    times_s: list[tuple[float, float]], silences_s: list[tuple[float, float]]
) -> None:
    def us(at_s: float) -> int:
        return BEGIN_US + round(at_s * SECOND)

    samples = table_of(sample(us(begin), us(end)) for begin, end in times_s)
    assert silences_of(samples) == [Span(us(begin), us(end)) for begin, end in silences_s]


def test_a_log_is_divided_at_its_silences(tmp_path: Path) -> None:
    path = log(tmp_path / "a.jtl", *map(row, (0.1, 700, 701, 1_500)))
    parts = load_split_logs([path])
    assert [part.run.name for part in parts] == [f"a.jtl, part {number} of 3" for number in (1, 2, 3)]
    assert [part.run.plan for part in parts] == [plan(0.1, 0.12), plan(700, 701.02), plan(1_500, 1_500.02)]
    assert [len(part.samples) for part in parts] == [1, 2, 1] and not any(part.unread for part in parts)
    assert [one.start_us for one in samples_of(parts[1].samples)] == [BEGIN_US + at * SECOND for at in (700, 701)]
    whole = load_split_logs([log(tmp_path / "b.jtl", row(0.1), row(1.1))])
    assert [(part.run.name, len(part.samples)) for part in whole] == [("b.jtl", 2)]


def test_damage_is_tolerated_where_the_user_says_so(tmp_path: Path) -> None:
    path = log(tmp_path / "a.jtl", row(0.1), "1,2", row(1.1))
    said = "1 line could not be read: 1 x wrong number of columns"
    share = len("1,2\n") / path.stat().st_size
    damage = f"{share:.2%} of the bytes of the logs could not be understood: 1 x wrong number of columns"
    for data in (load_logs([path]), *load_split_logs([path])):
        assert (data.unread, data.run.warnings, data.lost_rows) == ((damage,), [said], {"samples": 1})
    for data in (load_logs([path], tolerate=True), *load_split_logs([path], tolerate=True)):
        assert (data.unread, data.run.warnings) == ((), [said, f"tolerated: {damage}"])


def refused(*paths: Path) -> str:
    with pytest.raises((RunDirectoryError, UsageError)) as caught:
        load_logs(paths)
    return str(caught.value)


def test_a_log_that_is_not_there_is_named(tmp_path: Path) -> None:
    path, absent = log(tmp_path / "a.jtl", row(0)), tmp_path / "b.jtl"
    assert refused(path, absent, tmp_path) == f"cannot read {absent}: no such file or directory"
    assert refused(path, tmp_path) == f"cannot read {tmp_path}: no such file: it is a directory"


def test_a_log_that_is_named_twice_or_copied_is_refused(tmp_path: Path) -> None:
    path, other = log(tmp_path / "a.jtl", row(0.1)), log(tmp_path / "b.jtl", row(1.1))
    longer, link = log(tmp_path / "c.jtl", row(2.1), row(3.1)), tmp_path / "d.jtl"
    link.symlink_to(path)
    copy = log(tmp_path / "e.jtl", row(1.1))
    for first, second in ((path, path), (path, link), (other, copy)):
        assert refused(first, longer, second) == (
            f"{second} has the same content as {first}: its requests would count twice"
        )
    assert len(load_logs([path, other, longer]).samples) == 4, "two of one length may differ"


@pytest.mark.parametrize("error", [OSError(5, "the disk is broken"), OSError("the disk is broken")])
def test_a_log_that_cannot_be_read_is_one_clear_line(
    error: OSError, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(log_run, "file_digest", fail)
    paths = [log(tmp_path / name, row(0)) for name in ("a.jtl", "b.jtl")]
    assert refused(*paths) == f"cannot read {paths[0]}: the disk is broken"


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([], ""),
        (["1,2"], ": 1 x wrong number of columns"),
        (
            [row(0).replace(",20,", ",twenty,")],
            ": 1 x a number cannot be read; JMeter writes times as numbers with "
            "jmeter.save.saveservice.timestamp_format=ms, and durations as whole milliseconds",
        ),
    ],
)
def test_a_log_without_a_sample_says_what_was_not_understood(rows: list[str], why: str, tmp_path: Path) -> None:
    path = log(tmp_path / "a.jtl", *rows)
    assert refused(path) == f"{path} has no sample that could be read{why}"


def test_packed_logs_without_a_sample_say_their_first_damage_as_well(tmp_path: Path) -> None:
    paths = [tmp_path / "a.jtl.gz", tmp_path / "b.jtl.gz"]
    for at_s, path in enumerate(paths):
        path.write_bytes(gzip.compress(f"{HEAD}\n{row(at_s)}\n".encode(), compresslevel=0)[:-20])
    assert refused(*paths) == (
        f"{paths[0]} has no sample that could be read: 2 x last line cut off: a.jtl.gz: the gzip file is damaged "
        "(it is cut off): the rest is missing"
    )


def test_large_logs_have_a_database_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = log(tmp_path / "a.jtl", row(0.1))
    monkeypatch.setattr("switchover.analysis.requests.store.SMALL_BYTES", path.stat().st_size)
    assert load_logs([path]).samples.store.folder is None
    monkeypatch.setattr("switchover.analysis.requests.store.SMALL_BYTES", path.stat().st_size - 1)
    assert load_logs([path]).samples.store.folder is not None
