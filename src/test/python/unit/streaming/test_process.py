"""What the shipper's process does, in this one: from its spec to its account, by itself or by the one outside."""

import io
import json
import signal
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.fake_influx import FakeInflux, fake_influx
from switchover.streaming import process
from switchover.streaming.outside import pass_on
from switchover.streaming.parent import StreamSpec


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
