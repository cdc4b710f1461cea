"""The streaming of a run: its processes, and what their parent says of them."""

import io
import json
import os
import signal
import socket
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from support.fake_influx import FakeInflux, answers, fake_influx, hangs
from support.waiting import wait_for
from switchover.process.json_child import package_environment
from switchover.rundir.journal import Journal
from switchover.streaming import outside as outside_module
from switchover.streaming import parent, process
from switchover.streaming.influx.destination import Credentials, Database, parse_destination
from switchover.streaming.influx.shipper import ShipperAccount, streamed
from switchover.streaming.metrics.otlp import OtlpReceiver
from switchover.streaming.outside import OutsideStreams, pass_on
from switchover.streaming.parent import Streaming, StreamSpec

NS = 1_700_000_000_000_000_000


def write(directory: Path, numbers: range) -> None:
    journal = Journal(directory / "journal.lp", {"run": "r"})
    for number in numbers:
        journal.write("m", {}, {"v": number}, NS + number)
    journal.close()


def stream(
    directory: Path, influx: FakeInflux, notes: list[str], *, wait_s: float = 20.0, lab: Path | None = None
) -> Streaming:
    database = influx.database(token="s3cret-t0ken")
    return Streaming(directory, database, None, notes.append, wait_s=wait_s, lab=lab)


def account_of(streaming: Streaming) -> ShipperAccount:
    account = streaming.finish()
    assert account is not None
    streaming.__exit__(None)
    return account


@pytest.fixture
def short_directory() -> Iterator[Path]:
    """A Unix socket's path ends at 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="follow") as path:
        yield Path(path)


def test_what_is_written_until_the_end_arrives(tmp_path: Path) -> None:
    notes: list[str] = []
    with fake_influx() as influx:
        write(tmp_path, range(10))
        streaming = stream(tmp_path, influx, notes)
        command_line = Path(f"/proc/{streaming.pid}/cmdline").read_bytes()
        write(tmp_path, range(10, 100))
        account = account_of(streaming)
    assert (account.points, account.left, len(influx.points)) == (100, 0, 100)
    assert not notes
    assert b"s3cret" not in command_line
    assert all(b"s3cret" not in path.read_bytes() for path in tmp_path.iterdir())
    assert streamed(account, tmp_path) == "streamed 100 of 100 points"


@pytest.mark.parametrize("behaviour", [hangs, answers(503), answers(401, b'{"error":"authorization failed"}')])
def test_a_database_that_takes_nothing_is_waited_for_no_longer_than_agreed(
    tmp_path: Path, behaviour: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parent, "LAST_WORD_S", 60.0)
    notes: list[str] = []
    with fake_influx(behaviour) as influx:  # type: ignore[arg-type]
        write(tmp_path, range(10))
        streaming = stream(tmp_path, influx, notes, wait_s=0.3)
        wait_for(lambda: bool(influx.requests))  # a process begins slowly on a busy machine
        account = account_of(streaming)
    assert (account.points, account.left) == (0, 10)
    assert len(notes) == 1
    assert "accepts no points" in notes[0]
    assert account.why
    assert streamed(account, tmp_path).endswith(f"'switchover influx upload {tmp_path}' sends the rest")


def test_a_shipper_that_was_killed_leaves_an_account(tmp_path: Path) -> None:
    notes: list[str] = []
    with fake_influx(answers(503)) as influx:
        write(tmp_path, range(10))
        streaming = stream(tmp_path, influx, notes)
        os.kill(streaming.pid or 0, 9)
        assert streaming._settled.wait(60.0)
        account = account_of(streaming)
    assert (account.points, account.left) == (0, 10)
    assert "killed by signal 9" in notes[-1]


class Child:
    """In place of the process: what it was told, and whether it was ended."""

    pid = 7

    def __init__(self, *arguments: Any, on_end: Any) -> None:
        self.module, self.name, self.clock, self.hear = arguments
        self.died: str | None = None
        self.told: list[str] = []
        self.hung_up = self.killed = False
        self.ended = on_end

    def send_line(self, line: str) -> None:
        self.told.append(line)

    def hang_up(self) -> None:
        self.hung_up, self.died = True, None

    def wait(self, timeout_s: float) -> bool:
        raise AssertionError("only metrics are waited for")

    def kill(self) -> None:
        self.killed = True


@pytest.fixture
def child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Streaming, Child, list[str]]:
    """Of a run in a folder that is named as the user stands in it."""
    monkeypatch.setattr(parent, "JsonChild", Child)
    monkeypatch.chdir(tmp_path)
    notes: list[str] = []
    write(tmp_path, range(10))
    database = Database(parse_destination("http://influx:8086?db=d"), Credentials("s3cret"))
    streaming = Streaming(Path(), database, None, notes.append, wait_s=0.1)
    return streaming, cast(Any, streaming)._child, notes


def test_what_a_shipper_warns_of_or_dies_of_is_noted_and_its_account_taken(
    child: tuple[Streaming, Child, list[str]],
) -> None:
    streaming, found, notes = child
    found.hear({"warning": "slow"})
    found.hear({"error": "no spec"})
    found.hear({"account": {"to": "x", "points": 1, "refused": 2, "left": 3, "why": "y"}})
    assert account_of(streaming) == ShipperAccount("x", 1, 2, 3, "y")
    assert notes == ["slow", "no spec"] and found.hung_up and found.killed


def test_where_there_is_no_way_somebody_outside_follows(tmp_path: Path, short_directory: Path) -> None:
    notes: list[str] = []
    path = short_directory / "follow.sock"
    with fake_influx() as influx:
        with OutsideStreams(path) as outside:
            write(tmp_path, range(10))
            account = account_of(stream(tmp_path, influx, notes, lab=short_directory))
            assert len(outside._processes) == 1
            assert path.stat().st_mode & 0o777 == 0o600
        assert outside._processes[0].poll() == 0
    assert (account.points, account.left, notes) == (10, 0, [])


def test_a_socket_of_somebody_who_was_killed_is_replaced_and_none_is_left_behind(short_directory: Path) -> None:
    path = short_directory / "follow.sock"
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(path))
    with OutsideStreams(path):
        assert path.is_socket()
    assert not path.exists()


def test_whoever_outside_ends_with_the_one_inside(
    tmp_path: Path, short_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, where = short_directory / "follow.sock", package_environment()
    monkeypatch.setattr(outside_module, "package_environment", lambda: {**where, "PACKAGE": "is here"})
    with fake_influx() as influx, OutsideStreams(path) as outside:
        write(tmp_path, range(10))
        streaming = stream(tmp_path, influx, [], lab=short_directory)
        wait_for(lambda: bool(influx.points))
        (process,) = outside._processes
        assert os.getsid(process.pid) == process.pid, "Ctrl-C in the terminal is not for it"
        assert b"PACKAGE=is here" in Path(f"/proc/{process.pid}/environ").read_bytes()
        os.kill(streaming.pid or 0, 9)
        assert process.wait(60.0) == 0
        streaming.finish()
    assert len(influx.points) == 10


def test_a_spec_survives_the_way_and_shows_no_secret(tmp_path: Path) -> None:
    known = Credentials("s3cret")
    for spec in (
        StreamSpec(tmp_path, "http://h:1?org=o&bucket=b", known, 3.0, tmp_path / "sock"),
        StreamSpec(tmp_path, prometheus=":9464", otlp=OtlpReceiver("http://h/", {"k": "s3cret"})),
    ):
        assert StreamSpec.from_json(spec.to_json()) == spec
        assert "s3cret" not in repr(spec)


def test_the_line_says_what_is_to_be_done() -> None:
    account = ShipperAccount("http://influx:8086?db=d", 41_000, 3, 197, "400: partial write")
    assert streamed(account, Path("runs/x")) == (
        "streamed 41,000 of 41,200 points, 3 refused (400: partial write): "
        "'switchover influx upload runs/x' sends the rest"
    )


def spec_of(directory: Path, influx: FakeInflux, wait_s: float) -> StreamSpec:
    database = influx.database(token="t0ken")
    return StreamSpec(directory, database.destination.url, database.credentials, wait_s)


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """What `main` says, and which signals it takes."""
    found: list[Any] = []
    monkeypatch.setattr(process, "send_message", found.append)
    monkeypatch.setattr(signal, "signal", lambda *what: found.append(what))
    yield found


IGNORES = (signal.SIGINT, signal.SIG_IGN)


@pytest.mark.parametrize("is_outside", [True, False])
def test_it_does_the_work_itself_where_nobody_is_outside(
    tmp_path: Path, heard: list[Any], monkeypatch: pytest.MonkeyPatch, is_outside: bool
) -> None:
    done: list[Any] = []
    connection = object() if is_outside else None

    def connect(path: Path) -> object:
        done.append(path)
        return connection

    monkeypatch.setattr(process, "connect_outside", connect)
    monkeypatch.setattr(process, "pass_on", lambda *what: done.append(what))
    monkeypatch.setattr(process, "stream", lambda *what: done.append(what))
    with fake_influx() as influx:
        spec = replace(spec_of(tmp_path, influx, 7.0), outside=tmp_path / "socket")
    stdin = io.StringIO(spec.to_json() + "\n")
    monkeypatch.setattr("sys.stdin", stdin)
    process.main()
    inside = replace(spec, outside=None).to_json()
    assert done == [spec.outside, (connection, inside) if is_outside else (spec, stdin)]
    assert heard == [IGNORES]


def test_lines_are_passed_on_both_ways_until_the_last_word(monkeypatch: pytest.MonkeyPatch) -> None:
    said = io.StringIO()
    monkeypatch.setattr("sys.stdin", iter(["one\n", "twö\n"]))
    monkeypatch.setattr("sys.stdout", said)
    near, far = socket.socketpair()
    thread = threading.Thread(target=pass_on, args=(near, '{"a": 1}'))
    thread.start()
    with far, far.makefile("rw", encoding="utf-8") as lines:
        assert list(lines) == ['{"a": 1}\n', "one\n", "twö\n"], "and the end of the run is passed on, too"
        lines.write('{"warning": "ü"}\n{"account": {}}\n')
        lines.flush()
        far.shutdown(socket.SHUT_RDWR)
    thread.join()
    assert [json.loads(line) for line in said.getvalue().splitlines()] == [{"warning": "ü"}, {"account": {}}]
