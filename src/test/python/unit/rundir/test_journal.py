"""The journal, and the appending below it: what was written can be read and followed, whatever the disk does."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.disk import file_size_limit
from support.examples import examples
from support.journals import read_journal
from switchover.rundir.appended_file import Appender
from switchover.rundir.damaged_lines import Ignored
from switchover.rundir.journal import Journal, read_record
from switchover.rundir.journal_tail import JournalTail
from switchover.rundir.points import Point


def test_points_carry_the_tags_of_the_journal(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.lp", {"run": "r1", "worker": "w1"})
    journal.write("switchover_users", {"generator": "locust"}, {"active": 5}, 7)
    assert journal.path.read_text() == "switchover_users,generator=locust,run=r1,worker=w1 active=5i 7\n"
    assert list(read_journal([journal.path])) == [
        Point("switchover_users", {"generator": "locust", "run": "r1", "worker": "w1"}, {"active": 5}, 7)
    ]


def test_last_point_of_the_same_series_and_time_wins(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "a.lp", {"run": "r1"})
    journal.write("m", {"t": "a"}, {"v": 1}, 5)
    journal.write("m", {"t": "b"}, {"v": 2}, 5)
    journal.write("m", {"t": "a"}, {"v": 3}, 4)
    journal.write("m", {"t": "a"}, {"v": 4}, 5)
    points = [(point.time_ns, point.tags["t"], point.fields["v"]) for point in read_journal([journal.path])]
    assert points == [(4, "a", 3), (5, "a", 4), (5, "b", 2)]


def test_truncated_last_line_and_garbage_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "journal.lp"
    path.write_bytes(b"m v=1i 1\ngarbage\n\xff\xfe\n\nm v=2i 2\r\nm v=3i 33")
    ignored = Ignored()
    record = read_record(path, (), ignored)
    assert (record.points, record.damage) == ((), "has a line that is not a complete point")
    assert ignored.reasons == {"not a point": 3, "last line cut off": 1}
    assert ignored.total == 4
    assert str(ignored) == "3 x not a point, 1 x last line cut off"


def test_what_was_written_outlives_sigkill(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys; from pathlib import Path; from switchover.rundir.journal import Journal\n"
        "journal = Journal(Path(sys.argv[1]), {})\n"
        "for n in range(100): journal.write('m', {}, {'v': n}, n)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    path = tmp_path / "journal.lp"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program, str(path)], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(list(read_journal([path]))) == 100


def test_full_disk_loses_whole_lines_and_resumes_when_there_is_room(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.lp", {})
    journal.write("m", {}, {"v": 1}, 1)
    room = journal.path.stat().st_size + 4
    with file_size_limit(room):
        journal.write("m", {}, {"v": 2}, 2)
        journal.write("m", {}, {"v": 3}, 3)
    journal.write("m", {}, {"v": 4}, 4)
    assert [point.time_ns for point in read_journal([journal.path])] == [1, 4]
    assert journal.lost == 2
    assert journal.warning is not None
    assert "journal.lp: File too large" in journal.warning


def test_half_a_record_that_cannot_be_cut_off_is_closed_by_a_newline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(fd: int, length: int) -> None:
        raise OSError(1, "Operation not permitted")

    path = tmp_path / "log"
    appender = Appender(path)
    monkeypatch.setattr(os, "ftruncate", refuse)
    with file_size_limit(6):
        appender.append([b"one\n", b"two\n"])
        appender.append([b"three\n"])
    assert path.read_bytes() == b"one\ntw"
    appender.append([b"four\n"])
    assert path.read_bytes() == b"one\ntw\nfour\n"
    assert appender.lost == 3


records = st.lists(st.binary(max_size=12).map(lambda data: data.replace(b"\n", b"") + b"\n"), max_size=4)


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=st.lists(st.tuples(records, st.none() | st.integers(0, 60)), max_size=6))
def test_file_holds_exactly_the_records_that_are_not_lost(
    tmp_path: Path, batches: list[tuple[list[bytes], int | None]]
) -> None:
    path = tmp_path / "log"
    path.unlink(missing_ok=True)
    appender = Appender(path, head=b"head\n")
    for batch, room in batches:
        if room is None:
            appender.append(batch)
        else:
            with file_size_limit(room):
                appender.append(batch)
    appender.close()
    written = path.read_bytes().split(b"\n")[:-1]
    offered = [record[:-1] for batch, _ in batches for record in batch]
    assert written[0] == b"head"
    assert len(written) - 1 + appender.lost == len(offered)
    remaining = iter(offered)
    assert all(record in remaining for record in written[1:])


def write(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_a_line_that_is_still_being_written_waits_for_its_end(tmp_path: Path) -> None:
    tail = JournalTail(tmp_path)
    write(tmp_path / "journal.lp", b"whole 1\nhal")
    assert tail.read()[0] == [b"whole 1"]
    assert tail.read()[0] == []
    write(tmp_path / "journal.lp", b"f 2\n")
    assert tail.read()[0] == [b"half 2"]


def test_a_long_journal_is_read_in_slices(tmp_path: Path) -> None:
    write(tmp_path / "journal.lp", b"".join(b"point %d\n" % number for number in range(1000)))
    tail, lines, reads = JournalTail(tmp_path), [], 0
    more = True
    while more:
        found, more = tail.read(256)
        assert sum(len(line) + 1 for line in found) <= 256
        lines += found
        reads += 1
    assert lines == [b"point %d" % number for number in range(1000)]
    assert reads > 10


def test_a_line_that_cannot_be_ours_is_passed_over_without_being_held(tmp_path: Path) -> None:
    write(tmp_path / "journal.lp", b"first\n" + b"x" * 5000 + b"\nlast\n")
    tail, lines, more = JournalTail(tmp_path), [], True
    while more:
        found, more = tail.read(512)
        lines += found
    assert lines == [b"first", b"last"]


def test_a_file_that_was_replaced_is_read_from_its_start(tmp_path: Path) -> None:
    tail = JournalTail(tmp_path)
    write(tmp_path / "journal.lp", b"one of many lines\n")
    tail.read()
    (tmp_path / "journal.lp").write_bytes(b"new\n")
    assert tail.read()[0] == [b"new"]


@given(pieces=st.lists(st.binary(max_size=60), max_size=12), limit=st.integers(1, 40))
def test_however_it_is_written_no_line_is_torn_or_told_twice(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], limit: int
) -> None:
    """Every line that fits into a slice is told, in order; nothing else is."""
    directory = tmp_path_factory.mktemp("tail")
    tail, told = JournalTail(directory), []
    for piece in pieces:
        write(directory / "journal.lp", piece)
        more = True
        while more:
            found, more = tail.read(limit)
            told += found
    whole = b"".join(pieces).split(b"\n")[:-1]
    remaining = iter(whole)
    assert all(line in remaining for line in told)  # in order
    assert [line for line in whole if len(line) < limit // 2] == [line for line in told if len(line) < limit // 2]
