"""What the shipper's process does, in this one: from its spec to its account, by itself or by the one outside."""

import io
import json
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.fake_influx import FakeInflux, answers, fake_influx, hangs
from support.waiting import wait_for
from switchover.rundir.journal import Journal
from switchover.streaming import process
from switchover.streaming.outside import pass_on
from switchover.streaming.parent import StreamSpec
from switchover.streaming.process import stream

NS = 1_700_000_000_000_000_000
POINTS = 3


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    journal = Journal(tmp_path / "journal.lp", {"run": "r"})
    for number in range(POINTS):
        journal.write("m", {}, {"v": number}, NS + number)
    journal.close()
    return tmp_path


def spec_of(directory: Path, influx: FakeInflux, wait_s: float) -> StreamSpec:
    database = influx.database(token="t0ken")
    return StreamSpec(directory, database.destination.url, database.credentials, wait_s)


def followed(
    directory: Path, influx: FakeInflux, wait_s: float, ends: Callable[[list[dict[str, Any]]], bool] = lambda _: True
) -> list[dict[str, Any]]:
    """All that is said where the run ends as soon as `ends` is true of what was said before."""
    said = list[dict[str, Any]]()

    def parent() -> Iterator[str]:
        yield "nothing yet\n"
        wait_for(lambda: ends(said))

    stream(spec_of(directory, influx, wait_s), parent(), said.append)
    return said


def test_what_is_left_at_the_end_of_the_run_is_sent_and_accounted_for(directory: Path) -> None:
    with fake_influx() as influx:
        said = followed(directory, influx, 60.0)
        to = influx.database().destination.url
    assert said == [{"account": {"to": to, "points": POINTS, "refused": 0, "left": 0, "why": ""}}]
    assert len(influx.points) == POINTS


@pytest.mark.parametrize(("behaviour", "why"), [(answers(503), "503"), (hangs, "no answer before the end")])
def test_a_database_that_takes_nothing_is_given_up_when_its_time_is_over(
    directory: Path, behaviour: Any, why: str
) -> None:
    with fake_influx(behaviour) as influx:
        said = followed(directory, influx, 0.1, lambda said: bool(influx.requests if behaviour is hangs else said))
        to = influx.database().destination.url
    assert said == [
        {"warning": f"{to} takes no points: {why}; they are kept"},
        {"account": {"to": to, "points": 0, "refused": 0, "left": POINTS, "why": why}},
    ]


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """What `main` says, and which signals it takes."""
    found: list[Any] = []
    monkeypatch.setattr(process, "say", found.append)
    monkeypatch.setattr(signal, "signal", lambda *what: found.append(what))
    yield found


IGNORES = (signal.SIGINT, signal.SIG_IGN)


@pytest.mark.parametrize("is_outside", [True, False])
def test_it_does_the_work_itself_where_nobody_is_outside(
    directory: Path, heard: list[Any], monkeypatch: pytest.MonkeyPatch, is_outside: bool
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
        spec = replace(spec_of(directory, influx, 7.0), outside=directory / "socket")
    stdin = io.StringIO(spec.to_json() + "\n")
    monkeypatch.setattr("sys.stdin", stdin)
    process.main()
    inside = replace(spec, outside=None).to_json()
    assert done == [spec.outside, (connection, inside) if is_outside else (spec, stdin, heard.append)]
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
