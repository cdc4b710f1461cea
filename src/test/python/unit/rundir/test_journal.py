"""The journal, the sample log, and the appending below them: what was written can be read, whatever the disk does."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.contract import FOLDER, named, vectors
from support.disk import file_size_limit
from support.examples import examples
from support.journals import read_journal
from support.sample_rows import read_samples
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.appended_file import Appender
from switchover.rundir.damaged_lines import Ignored
from switchover.rundir.journal import Journal, read_record
from switchover.rundir.journal_tail import JournalTail
from switchover.rundir.points import Point
from switchover.rundir.sample_log import COLUMNS, HEADER, Sample, SampleWriter, format_sample


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


def sample_of(values: dict[str, Any]) -> Sample:
    rest = dict(values)
    identity = Identity(rest.pop("backend"), rest.pop("balancer"), AnsweredBy(rest.pop("answered_by")))
    error = rest.pop("error")
    return Sample(**rest, identity=identity, error=FailureKind(error) if error else None)


GOOD = sample_of(vectors("samples.json", "write")[0]["sample"])


def test_header_is_the_agreed_one() -> None:
    assert json.loads((FOLDER / "samples.json").read_text(encoding="utf-8"))["header"] == HEADER
    assert len(COLUMNS) == 27


@pytest.mark.parametrize("case", named("samples.json", "write"))
def test_sample_is_written_as_agreed(case: dict[str, Any]) -> None:
    assert format_sample(sample_of(case["sample"])) == case["line"]


@pytest.mark.parametrize("case", named("samples.json", "write"))
def test_written_sample_is_read_back(case: dict[str, Any], tmp_path: Path) -> None:
    """All of it but the first-byte and connect times, which the log holds in milliseconds."""
    writer = SampleWriter(tmp_path / "samples.jtl")
    writer.write(sample_of(case["sample"]))
    writer.close()
    (found,) = read_samples(writer.path)
    start_ms = found.start_us // 1000
    latency_ms = (found.start_us + case["sample"]["latency_us"]) // 1000 - start_ms
    connect_ms = (found.start_us + case["sample"]["connect_us"]) // 1000 - start_ms
    assert found == sample_of(case["sample"] | {"latency_us": latency_ms * 1000, "connect_us": connect_ms * 1000})


def test_second_writer_continues_the_file_with_one_header(tmp_path: Path) -> None:
    for _ in range(2):
        writer = SampleWriter(tmp_path / "samples.jtl")
        writer.write(GOOD)
        writer.close()
    ignored = Ignored()
    assert len(list(read_samples(tmp_path / "samples.jtl", ignored))) == 2
    assert ignored.total == 0


def test_flushed_samples_outlive_sigkill(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys; from pathlib import Path\n"
        "from unit.rundir.test_journal import GOOD, SampleWriter\n"
        "writer = SampleWriter(Path(sys.argv[1]))\n"
        "for n in range(100): writer.write(GOOD)\n"
        "writer.flush(); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    path = tmp_path / "samples.jtl"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program, str(path)], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(list(read_samples(path))) == 100


def test_full_disk_is_counted_and_warned_of_but_never_raised() -> None:
    writer = SampleWriter(Path("/dev/full"))
    for _ in range(3):
        writer.write(GOOD)
        writer.flush()
    writer.close()
    assert writer.lost == 3
    assert writer.warning is not None
    assert "/dev/full: No space left on device" in writer.warning


def test_newline_inside_a_row_is_no_place_to_cut_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = next(case for case in vectors("samples.json", "write") if "quotes" in case["name"])
    writer = SampleWriter(tmp_path / "samples.jtl")
    real_write = os.write
    cut = case["line"].index("two")
    answers = [lambda fd, data: real_write(fd, data[:cut])]

    def write(fd: int, data: bytes) -> int:
        if answers:
            return answers.pop()(fd, data)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", write)
    writer.write(sample_of(case["sample"]))
    writer.flush()
    monkeypatch.setattr(os, "write", real_write)
    writer.write(GOOD)
    writer.close()
    assert writer.path.read_text() == f"{HEADER}\n{format_sample(GOOD)}\n"
    assert writer.lost == 1


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(label=texts, message=texts, thread=texts, backend=texts, url=texts)
def test_whatever_a_text_holds_it_is_read_back(
    tmp_path: Path, label: str, message: str, thread: str, backend: str, url: str
) -> None:
    path = tmp_path / "samples.jtl"
    path.unlink(missing_ok=True)
    writer = SampleWriter(path)
    values = vectors("samples.json", "write")[0]["sample"]
    values |= {"label": label, "message": message, "thread": thread, "backend": backend, "url": url}
    writer.write(sample_of(values | {"latency_us": 0, "connect_us": 0, "start_us": 1000, "end_us": 2000}))
    writer.write(GOOD)
    writer.close()
    first, _second = read_samples(path)
    assert (first.label, first.message, first.thread, first.identity.backend, first.url) == (
        label,
        message,
        thread,
        backend,
        url,
    )
