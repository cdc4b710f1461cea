"""Access logs: what was added during a run, or why that is not known."""

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.disk import file_size_limit
from switchover.model.clock import Clock
from switchover.model.errors import RunDirectoryError, TelemetryError
from switchover.model.interval import Span
from switchover.process.command import CommandResult
from switchover.rundir.seal import seal_file
from switchover.target.model import Node
from switchover.target.telemetry_sources import Command, LogFile
from switchover.telemetry import access_log
from switchover.telemetry.access_log import (
    AccessLogCount,
    AccessLogSource,
    _Counter,
    _Measure,
    _one_line,
    _run,
    _RunTimes,
    _Skip,
    write_access_log,
)
from switchover.telemetry.log_lines import LogRecord, parse_log_line

TAIL = '- - [21/Nov/2026:03:56:17 +0000] "GET / HTTP/1.1" 200 1024 "-" "-"'
LINE = f"1795233377.125 198.18.0.11 {TAIL}"


def line(status: int = 200, remote: str = "198.18.0.11", path: str = "/") -> str:
    return f'1795233377.125 {remote} - - [21/Nov/2026:03:56:17 +0000] "GET {path} HTTP/1.1" {status} 5 "-" "-"\n'


def test_line_with_milliseconds() -> None:
    assert parse_log_line(LINE.encode()) == LogRecord(1795233377125000, "198.18.0.11", 200, 1024, "GET", "/")


def test_combined_line_has_whole_seconds() -> None:
    record = parse_log_line(f"2001:db8::1 {TAIL}".encode())
    assert record == LogRecord(1795233377000000, "2001:db8::1", 200, 1024, "GET", "/")


def test_time_zone_of_a_combined_line_counts() -> None:
    record = parse_log_line(b'1.2.3.4 - - [21/Nov/2026:05:26:17 +0130] "GET / HTTP/1.1" 200 1')
    assert record is not None and record.time_us == 1795233377000000


@pytest.mark.parametrize(
    ("request_line", "method", "path"),
    [
        ("GET /a b HTTP/1.1", "GET", "/a b"),
        (r"GET /\x22 \" HTTP/1.0", "GET", r"/\x22 \""),
        (r"\x16\x03\x01", r"\x16\x03\x01", ""),
        ("", "", ""),
        ("GET /" + "x" * 500 + " HTTP/1.1", "GET", "/" + "x" * 199),
    ],
)
def test_request_line_of_any_kind(request_line: str, method: str, path: str) -> None:
    record = parse_log_line(f'1.2.3.4 - - [21/Nov/2026:05:26:17 +0130] "{request_line}" 400 -'.encode())
    assert record is not None and (record.method, record.path, record.nbytes) == (method, path, 0)


@given(st.binary(max_size=300))
def test_no_garbage_raises(garbage: bytes) -> None:
    for text in (garbage, LINE.encode()[: len(garbage)] + garbage, b"1.2.3.4 - - [" + garbage + b'] "GET / H" 200 1'):
        parse_log_line(text)


def access_log_of(source: LogFile | Command, *, shared: bool = False) -> AccessLogSource:
    return AccessLogSource(Node("web1", "backend", access_log=source, shared_clock=shared))


def append(path: Path, *lines: str) -> None:
    with path.open("a") as file:
        file.writelines(lines)


@pytest.fixture(params=["file", "command"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, LogFile | Command]:
    path = tmp_path / "access.log"
    append(path, *[line(path=f"/{number}") for number in range(100)])
    return path, LogFile(str(path)) if request.param == "file" else Command(("cat", str(path)))


Log = tuple[Path, LogFile | Command]


def test_only_what_was_added_counts(log: Log) -> None:
    path, source = log
    watched = access_log_of(source)
    watched.start()
    append(path, line(), line(503), line(remote="198.18.0.12"), "something else\n", line()[:-20])
    count = watched.finish()
    assert (count.lines, count.warning) == (4, None)
    assert count.by_status == {"200": 2, "503": 1, "unread": 1}
    assert count.by_remote == {"198.18.0.11": 2, "198.18.0.12": 1}
    assert count.records is not None and len(count.records) == 3


def test_nothing_added_is_a_count_of_zero(log: Log) -> None:
    watched = access_log_of(log[1])
    watched.start()
    assert watched.finish() == AccessLogCount(lines=0, records=())


def test_truncated_log_gives_a_warning_and_no_figure(log: Log) -> None:
    path, source = log
    watched = access_log_of(source)
    watched.start()
    path.write_text(line())
    assert watched.finish() == AccessLogCount(
        warning=f"web1: its access log {source} does not count: it was truncated in the middle of the run"
    )


def test_log_of_which_the_first_byte_was_changed_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    append(path, line())
    watched = access_log_of(LogFile(str(path)))
    watched.start()
    with path.open("r+b") as file:
        file.write(b"2")
    assert watched.finish().lines is None


def test_log_that_was_truncated_and_grew_past_its_old_length_is_noticed(log: Log) -> None:
    path, source = log
    watched = access_log_of(source)
    watched.start()
    path.write_text("")
    append(path, *[line(path=f"/new/{number}") for number in range(500)])
    assert watched.finish() == AccessLogCount(
        warning=f"web1: its access log {source} does not count: it was truncated or replaced in the middle of the run"
    )


def test_rotated_file_gives_a_warning_and_no_figure(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    append(path, line())
    watched = access_log_of(LogFile(str(path)))
    watched.start()
    path.rename(tmp_path / "access.log.1")
    append(path, line(), line())
    assert watched.finish() == AccessLogCount(
        warning=f"web1: its access log {path} does not count: it was rotated in the middle of the run"
    )


def test_file_that_the_server_makes_later_counts_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    watched = access_log_of(LogFile(str(path)))
    watched.start()
    append(path, line(), line())
    assert watched.finish().lines == 2


def test_file_that_is_not_there_at_the_end_is_a_warning(tmp_path: Path) -> None:
    watched = access_log_of(LogFile(str(tmp_path / "none")))
    watched.start()
    assert "No such file" in str(watched.finish().warning)


def test_a_fifo_is_not_opened_since_it_has_no_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "access.log")
    watched = AccessLogSource(Node("web1", "backend", access_log=LogFile(str(tmp_path / "access.log"))))
    watched.start()
    assert "could not be read at the start: it is no regular file" in (watched.finish().warning or "")


def test_command_that_fails_is_a_warning() -> None:
    source = Command(("sh", "-c", "echo no route >&2; exit 255"))
    watched = access_log_of(source)
    watched.start()
    why = "could not be read at the start: `sh …`: exit status 255 (no route)"
    assert watched.finish().warning == f"web1: its access log {source} does not count: {why}"


def test_endless_line_is_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    watched = access_log_of(LogFile(str(path)))
    watched.start()
    path.write_bytes(b"x" * 3_000_000)
    assert "endless line" in str(watched.finish().warning)


def test_too_long_a_log_keeps_its_counts_and_no_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access_log, "RECORDS_LIMIT", 3)
    path = tmp_path / "access.log"
    watched = access_log_of(LogFile(str(path)))
    watched.start()
    append(path, *[line()] * 10)
    count = watched.finish()
    assert (count.lines, count.records) == (10, None)
    assert write_access_log(tmp_path, "web1", count) == {}


def test_a_log_is_kept_line_by_line_up_to_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access_log, "RECORDS_LIMIT", 3)
    counter = _Counter(_RunTimes(0, 0, Span(0, 0)))
    counter.feed(line().encode() * 3)
    assert len(counter.result().records or ()) == 3
    counter.feed(line().encode())
    assert (counter.result().lines, counter.result().records) == (4, None)


def test_a_line_is_endless_beyond_64_kib() -> None:
    counter = _Counter(_RunTimes(0, 0, Span(0, 0)))
    counter.feed(b"x" * 65_536)
    counter.feed(b"\n")
    assert counter.result().by_status == {"unread": 1}
    with pytest.raises(TelemetryError, match=r"^it has an endless line: that is no access log$"):
        counter.feed(b"x" * 65_537)


@pytest.mark.parametrize(
    ("time_us", "on_the_run"),
    [
        (8_999_993, 9_000_993),
        (8_999_994, 9_000_001),
        (20_999_993, 21_000_000),
        (20_999_994, 21_000_994),
    ],
)
def test_a_time_is_put_on_the_run_by_the_clock_of_its_start_if_that_is_within_a_second_of_it(
    time_us: int, on_the_run: int
) -> None:
    """By the clock of the start 7 us are added, by that of the end 1 ms."""
    times = _RunTimes(7, 1_000, Span(10_000_001, 20_000_000))
    assert times.of(time_us) == on_the_run


@given(old=st.binary(max_size=40), new=st.binary(max_size=40), size=st.integers(1, 9))
def test_in_pieces_of_any_size_what_stands_behind_a_place_is_passed_on(old: bytes, new: bytes, size: int) -> None:
    def pieces(data: bytes) -> list[bytes]:
        return [data[at : at + size] for at in range(0, len(data), size)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(access_log, "_SEEN_BYTES", 16)
        measure, passed = _Measure(), list[bytes]()
        for piece in pieces(old):
            measure.feed(piece)
        skipped = _Skip(measure.place(), passed.append)
        for piece in pieces(old + new):
            skipped.feed(piece)
        skipped.check()
        assert b"".join(passed) == new
        shorter = _Skip(measure.place(), passed.append)
        if old:
            shorter.feed(old[:-1])
            with pytest.raises(TelemetryError, match=r"^it was truncated in the middle of the run$"):
                shorter.check()


def test_a_command_has_a_minute_and_4_gib_and_leaves_no_child_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def run(*arguments: object, **more: object) -> CommandResult:
        asked.extend((arguments, more))
        return CommandResult("cat", 0, "")

    monkeypatch.setattr(access_log, "run_command", run)
    sink: list[bytes] = []
    _run(Command(("cat", "x"), ("SSH_AUTH_SOCK",)), sink.append)
    assert asked == [
        (("cat", "x"), 60.0),
        {"sink": sink.append, "limit_bytes": 4 * 1024**3, "variables": ("SSH_AUTH_SOCK",), "end_children": True},
    ]


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (PermissionError(13, "Permission denied"), "Permission denied"),
        (OSError("odd"), "odd"),
        (TelemetryError("it was rotated"), "it was rotated"),
    ],
)
def test_why_a_log_was_not_read_is_one_line(error: TelemetryError | OSError, text: str) -> None:
    assert _one_line(error) == text


def test_remotes_without_end_are_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access_log, "REMOTES_LIMIT", 2)
    path = tmp_path / "access.log"
    watched = access_log_of(LogFile(str(path)))
    watched.start()
    append(path, *[line(remote=f"198.18.0.{number}") for number in (1, 2, 3, 4, 1)])
    assert watched.finish().by_remote == {"198.18.0.1": 2, "198.18.0.2": 1, "other": 2}


def test_times_are_on_the_nodes_own_clock_where_it_shares_none(log: Log) -> None:
    path, source = log
    watched = access_log_of(source)
    watched.start()
    append(path, line())
    assert [record.time_us for record in watched.finish().records or ()] == [1795233377125000]


def test_a_count_is_told_as_run_json_has_it() -> None:
    count = AccessLogCount(2, {"200": 2}, {"198.18.0.1": 1, "other": 1}, "odd")
    by_remote = {"198.18.0.1": 1, "other": 1}
    assert count.facts() == {"lines": 2, "by_status": {"200": 2}, "by_remote": by_remote, "warning": "odd"}


def test_times_are_on_the_clock_of_the_run_where_the_node_shares_it(tmp_path: Path) -> None:
    path, clock = tmp_path / "access.log", Clock(0)
    node = Node("web1", "backend", access_log=LogFile(str(path)), shared_clock=True)
    watched = AccessLogSource(node, clock)
    watched.start()
    before_us = clock.now_us()
    append(path, f"{time.time():.3f} 198.18.0.11 {TAIL}\n")
    (record,) = watched.finish().records or ()
    assert type(record.time_us) is int
    # A log's stamp is rounded to the millisecond.
    assert before_us - 1000 <= record.time_us <= clock.now_us() + 1000


@pytest.mark.parametrize("hours", [1, -1])
def test_clock_of_the_machine_that_is_set_leaves_no_line_outside_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    path, clock, set_by_ns = tmp_path / "access.log", Clock.of_process(), hours * 3600 * 1_000_000_000
    real_ns = time.time_ns
    watched = AccessLogSource(Node("web1", "backend", access_log=LogFile(str(path)), shared_clock=True), clock)
    watched.start()
    began_us = clock.now_us()
    append(path, f"{time.time():.3f} 198.18.0.11 {TAIL}\n")
    monkeypatch.setattr(time, "time_ns", lambda: real_ns() + set_by_ns)
    append(path, f"{(real_ns() + set_by_ns) / 1e9:.3f} 198.18.0.11 {TAIL}\n")
    times = [record.time_us for record in watched.finish().records or ()]
    assert len(times) == 2
    assert all(began_us - 1000 <= at_us <= clock.now_us() + 1000 for at_us in times)


def test_records_become_a_table_of_the_run(tmp_path: Path) -> None:
    count = AccessLogCount(lines=1, records=(LogRecord(5, "198.18.0.11", 200, 7, "GET", '/a,"b'),))
    seals = write_access_log(tmp_path, "web1", count)
    path = tmp_path / "access-web1.csv"
    assert seals == {path.name: [seal_file(path).facts()]}
    text = 'time_us,remote,status,bytes,request_method,path\n5,198.18.0.11,200,7,GET,"/a,""b"\n'
    assert path.read_bytes() == text.encode()
    with pytest.raises(RunDirectoryError, match="cannot write"):
        write_access_log(tmp_path / "gone", "web1", count)


def test_records_that_do_not_fit_on_the_disk_leave_no_half_table(tmp_path: Path) -> None:
    """Half of it would say that the backend answered less than it did."""
    count = AccessLogCount(lines=1, records=(LogRecord(5, "198.18.0.11", 200, 7, "GET", "/"),))
    with file_size_limit(20), pytest.raises(RunDirectoryError, match="File too large"):
        write_access_log(tmp_path, "web1", count)
    assert not list(tmp_path.iterdir())


def test_node_without_a_log_is_refused() -> None:
    with pytest.raises(TelemetryError, match="has no access_log"):
        AccessLogSource(Node("web1", "backend"))
