"""Access logs: what was added during a run, or why that is not known."""

import os
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from support.disk import file_size_limit
from switchover.model.clock import Clock
from switchover.model.errors import RunDirectoryError
from switchover.rundir.seal import seal_file
from switchover.target.model import Node
from switchover.target.telemetry_sources import Command, LogFile
from switchover.telemetry import access_log
from switchover.telemetry.access_log import AccessLogCount, AccessLogSource, LogRecord, write_access_log

TAIL = '- - [21/Nov/2026:03:56:17 +0000] "GET / HTTP/1.1" 200 1024 "-" "-"'
LINE = f"1795233377.125 198.18.0.11 {TAIL}"


def line(status: int = 200, remote: str = "198.18.0.11", path: str = "/") -> str:
    return f'1795233377.125 {remote} - - [21/Nov/2026:03:56:17 +0000] "GET {path} HTTP/1.1" {status} 5 "-" "-"\n'


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


def grown(source: LogFile | Command, grow: Callable[[], object]) -> AccessLogCount:
    watched = access_log_of(source)
    watched.start()
    grow()
    return watched.finish()


def test_only_what_was_added_counts(log: Log) -> None:
    path, source = log
    added = (line(), line(503), line(remote="198.18.0.12"), "something else\n", line()[:-20])
    count = grown(source, lambda: append(path, *added))
    assert (count.lines, count.warning) == (4, None)
    assert count.by_status == {"200": 2, "503": 1, "unread": 1}
    assert count.records is not None and len(count.records) == 3


def test_truncated_log_gives_a_warning_and_no_figure(log: Log) -> None:
    path, source = log
    count = grown(source, lambda: path.write_text(line(path="/new")))
    why = f"web1: the access log {source} is not used: it was truncated during the run"
    assert count == AccessLogCount(warning=why)


def rotate(path: Path) -> None:
    path.rename(path.with_suffix(".1"))
    append(path, line(), line())


LOST: dict[str, tuple[Callable[[Path], object], Callable[[Path], object], str]] = {
    "rotated": (lambda path: append(path, line()), rotate, "it was rotated during the run"),
    "a fifo has no end": (os.mkfifo, Path.stat, "could not be read at the start: it is not a regular file"),
    "an endless line": (Path.touch, lambda path: path.write_bytes(b"x" * 65_537), "endless line"),
}


@pytest.mark.parametrize(("before", "grow", "why"), LOST.values(), ids=LOST)
def test_a_file_that_cannot_be_compared_does_not_count(
    tmp_path: Path, before: Callable[[Path], object], grow: Callable[[Path], object], why: str
) -> None:
    path = tmp_path / "access.log"
    before(path)
    count = grown(LogFile(str(path)), lambda: grow(path))
    assert count.lines is None and why in (count.warning or "")


def test_command_that_fails_is_a_warning() -> None:
    source = Command(("sh", "-c", "echo no route >&2; exit 255"))
    why = "could not be read at the start: `sh …`: exit status 255 (no route)"
    assert grown(source, lambda: None).warning == f"web1: the access log {source} is not used: {why}"


def test_a_line_may_have_64_kib(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    assert grown(LogFile(str(path)), lambda: path.write_bytes(b"x" * 65_535)).warning is None


def test_too_long_a_log_keeps_its_counts_and_no_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access_log, "RECORDS_LIMIT", 3)
    path = tmp_path / "access.log"
    lines = [line(remote=f"198.18.0.{number}") for number in (1, 2, 3, 4, 1)]
    count = grown(LogFile(str(path)), lambda: append(path, *lines))
    assert (count.lines, count.records) == (5, None)
    assert write_access_log(tmp_path, "web1", count) == {}


def test_times_are_on_the_clock_of_the_run_where_the_node_shares_it(tmp_path: Path) -> None:
    path, clock = tmp_path / "access.log", Clock(0)
    node = Node("web1", "backend", access_log=LogFile(str(path)), shared_clock=True)
    watched = AccessLogSource(node, clock)
    watched.start()
    before_us = clock.now_us()
    append(path, f"{time.time():.3f} 198.18.0.11 {TAIL}\n")
    (record,) = watched.finish().records or []
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
    times = [record.time_us for record in watched.finish().records or []]
    assert len(times) == 2
    assert all(began_us - 1000 <= at_us <= clock.now_us() + 1000 for at_us in times)


def test_records_become_a_table_of_the_run(tmp_path: Path) -> None:
    count = AccessLogCount(lines=1, records=[LogRecord(5, "198.18.0.11", 200, 7, "GET", '/a,"b')])
    seals = write_access_log(tmp_path, "web1", count)
    path = tmp_path / "access-web1.csv"
    assert seals == {path.name: [asdict(seal_file(path))]}
    text = 'time_us,remote,status,bytes,request_method,path\n5,198.18.0.11,200,7,GET,"/a,""b"\n'
    assert path.read_bytes() == text.encode()
    with pytest.raises(RunDirectoryError, match="cannot write"):
        write_access_log(tmp_path / "gone", "web1", count)


def test_records_that_do_not_fit_on_the_disk_leave_no_half_table(tmp_path: Path) -> None:
    """Half of it would say that the backend answered less than it did."""
    count = AccessLogCount(lines=1, records=[LogRecord(5, "198.18.0.11", 200, 7, "GET", "/")])
    with file_size_limit(20), pytest.raises(RunDirectoryError, match="File too large"):
        write_access_log(tmp_path, "web1", count)
    assert not list(tmp_path.iterdir())
