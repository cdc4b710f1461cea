"""Logs of any load generator as a run: what it is called, where it ends, and why it cannot be trusted."""

import gzip
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.request_tables import samples_of, table_of
from switchover.analysis import log_run
from switchover.analysis.clock_jumps import Jump
from switchover.analysis.log_run import load_logs, load_part, load_split_logs, silences_of
from switchover.analysis.logs.account import Account
from switchover.analysis.requests.reader import HowToRead
from switchover.analysis.requests.table import TYPES
from switchover.analysis.run_data import RunData
from switchover.model.errors import RunDirectoryError, UsageError
from switchover.model.interval import Span
from switchover.rundir.run_directory import Plan
from switchover.rundir.sample_log import Sample
from synthetic import SECOND, sample

HEAD = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success"
HOUR_S = 3600
BEGIN_US = 1_767_225_600 * SECOND
"""2026-01-01 00:00:00 UTC."""


def row(at_s: float, took_ms: int = 20) -> str:
    return f"{BEGIN_US // 1000 + round(at_s * 1000)},{took_ms},home,200,OK,user 1-1,true"


def log(path: Path, *rows: str, head: Sequence[str] = (HEAD,)) -> Path:
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
    assert (data.unread, data.run.warnings, data.jumps, data.lost_rows) == ((), [], (), {"samples": 0})


def test_several_logs_are_one_run_in_which_a_request_counts_once(tmp_path: Path) -> None:
    logs = [log(tmp_path / f"{name}.jtl", *map(row, times)) for name, times in {"a": (0.1, 1.1), "b": (2.1,)}.items()]
    again = log(tmp_path / "c.jtl", row(0.1), row(1.1), row(2.2))
    data = load_logs([logs[0], again])
    assert data.run.name == "a.jtl and 1 more" and data.run.plan == plan(0.1, 2.22)
    assert len(data.samples) == 3
    assert [text.partition(" in common")[0] for text in data.run.warnings] == ["a.jtl and c.jtl have 2 rows"]
    data = load_logs([*logs, again])
    assert data.run.name == "a.jtl and 2 more" and len(data.samples) == 4


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


@pytest.mark.parametrize(
    ("number", "more"),
    [
        (20, []),
        (21, ["1 more stretch without a request for ten minutes"]),
        (22, ["2 more stretches without a request for ten minutes"]),
    ],
)
def test_twenty_silences_are_named_and_more_are_counted(number: int, more: list[str], tmp_path: Path) -> None:
    data = load_logs([log(tmp_path / "a.jtl", *(row(at * HOUR_S + 0.123) for at in range(number + 1)))])
    assert data.unread[0] == (
        "no request for 60 minutes, from 2026-01-01 00:00:00 to 2026-01-01 01:00:00 UTC: two runs in one log? "
        "--split judges each of them"
    )
    assert "from 2026-01-01 19:00:00 to 2026-01-01 20:00:00" in data.unread[19]
    assert list(data.unread[20:]) == more


def test_a_silence_is_told_in_whole_minutes(tmp_path: Path) -> None:
    (said,) = load_logs([log(tmp_path / "a.jtl", row(0, 0), row(91.5 * 60))]).unread
    assert said.startswith("no request for 92 minutes, ")


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


def part(*samples: Sample, local: bool = False, steady: bool = False, tolerate: bool = False) -> RunData:
    account = Account()
    account.has_local_times, account.steady = local, {0} if steady else set()
    account.notes.append("a note")
    return load_part("a part", table_of(samples), account, ["a reason"], tolerate=tolerate)


def at(*times_ms: float) -> list[Sample]:
    return [sample(BEGIN_US + round(ms * 1000), BEGIN_US + round(ms * 1000)) for ms in times_ms]


def test_where_times_go_back_is_told_behind_how_coarse_they_are() -> None:
    data = part(*at(*range(0, 40_000, 1_000), 20_001))
    coarse, back = data.run.warnings[1:]
    assert data.run.warnings[0] == "a note" and data.unread == ("a reason",) and data.run.id == "a part"
    assert coarse == (
        "times are told to a second: what is said by time is right to that, and a stretch may be longer by it"
    )
    assert back.startswith("the times go back by 19.0 s at 2026-01-01 00:00:20 UTC: the clock was set")
    assert data.jumps == (Jump(0, BEGIN_US + 20_001_000, 18_999_000),)
    steady = part(*at(*range(0, 40_000, 1_000), 20_001), steady=True)
    assert (steady.run.warnings, steady.jumps) == (["a note", coarse], ())
    late = part(*at(*(ms for begin in range(0, 11_000, 1_000) for ms in (begin + 503, begin + 1))))
    assert late.jumps == () and len(late.run.warnings) == 2
    assert late.run.warnings[1].startswith("the times go back 11 times, by up to 0.5 s (at 2026-01-01 00:00:00 UTC)")


@pytest.mark.parametrize(
    ("back_s", "local", "reasons"), [(HOUR_S, True, 2), (HOUR_S, False, 1), (HOUR_S - 601, True, 1)]
)
def test_dates_without_a_zone_that_go_back_by_an_hour_may_be_of_winter_time(
    back_s: int, local: bool, reasons: int
) -> None:
    times = at(0, 5_000_003, 5_000_003 - back_s * 1000)
    data = part(*times, local=local)
    assert len(data.jumps) == 1
    assert data.unread == ("a reason", *(jump.as_winter_time for jump in data.jumps))[:reasons]
    tolerated = part(*times, local=local, tolerate=True)
    assert tolerated.unread == ()
    assert tolerated.run.warnings == [*data.run.warnings, *(f"tolerated: {reason}" for reason in data.unread)]


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
        f"{paths[0]} has no sample that could be read: 2 x last line cut off: a.jtl.gz: the gzip file is cut off: "
        "what comes behind is missing"
    )


def test_rows_whose_times_cannot_be_are_left_out(tmp_path: Path) -> None:
    data = load_logs([log(tmp_path / "a.jtl", *map(row, (0.1, 1.1, 2.1)), row(-50 * 365 * 24 * HOUR_S))])
    assert len(data.samples) == 3 and data.run.plan == plan(0.1, 2.12)
    assert "times cannot be" in data.run.warnings[0]


def test_large_logs_have_a_database_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = log(tmp_path / "a.jtl", row(0.1))
    monkeypatch.setattr("switchover.analysis.requests.store.SMALL_BYTES", path.stat().st_size)
    assert load_logs([path]).samples.store.folder is None
    monkeypatch.setattr("switchover.analysis.requests.store.SMALL_BYTES", path.stat().st_size - 1)
    assert load_logs([path]).samples.store.folder is not None
