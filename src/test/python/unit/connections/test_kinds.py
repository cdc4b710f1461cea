"""Each kind of connection against a server that keeps it, cuts it, stalls, or says before that it will."""

import asyncio
import errno
import os
from collections.abc import Callable
from pathlib import Path

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.settings
import pytest
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Request, TextMessage

from support.connections import GOOD, SHORT_S, Serve, keep_open, read_request, reset, told
from switchover.connections.connection import HeldConnection, Route
from switchover.connections.slot import Slot
from switchover.model.held_kind import HeldKind


def test_a_pooled_connection_serves_request_after_request(log: Path) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await read_request(reader)
            writer.write(GOOD)

    rows = keep_open(HeldKind.POOLED, serve, log, rows=3)
    assert [row["threadName"] for row in rows] == ["pooled 1.1"] * 3
    assert {row["success"] for row in rows} == {"true"}
    assert (rows[0]["backend"], rows[0]["balancer"], rows[0]["worker"]) == ("web1", "lb1", "17")
    assert all(row["intended_us"] <= row["start_us"] <= row["end_us"] for row in rows)
    assert {row["attempts"] for row in rows} == {"1"}


def test_a_request_whose_connection_is_closed_under_it_is_lost_and_never_sent_again(log: Path) -> None:
    seen = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await read_request(reader))
        if len(seen) > 1:
            writer.write(GOOD)
            await read_request(reader)

    rows = keep_open(HeldKind.POOLED, serve, log, rows=2)
    assert told(rows) == [("truncated", "fin", "0"), ("", "", "2")]
    assert len(seen) == 2


def test_a_request_whose_connection_is_reset_is_lost_by_rst_after_the_byte_it_came_to(log: Path) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(GOOD[:-1])
        await writer.drain()
        await asyncio.sleep(0.05)
        reset(writer)

    rows = keep_open(HeldKind.POOLED, serve, log, rows=1)
    assert told(rows) == [("reset", "rst", "1")]


@pytest.mark.parametrize("number", [errno.EADDRNOTAVAIL, errno.EMFILE])
def test_a_client_that_has_no_port_or_descriptor_left_has_lost_nothing(
    log: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    async def have_none(*_: object) -> HeldConnection:
        raise OSError(number, os.strerror(number))

    async def serve(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await read_request(reader)

    monkeypatch.setattr(HeldConnection, "open", have_none)
    (row,) = keep_open(HeldKind.POOLED, serve, log, rows=1)
    assert (row["error"], row["attempts"], row["ended_by"]) == ("generator", "0", "")


def test_a_close_that_was_read_before_sending_is_polite_and_no_loss(log: Path) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(GOOD)

    rows = keep_open(HeldKind.IDLE, serve, log, rows=3)
    assert [row["ended_by"] for row in rows] == ["", "fin", ""]
    assert [row["attempts"] for row in rows] == ["1", "0", "1"]
    assert {row["error"] for row in rows} == {""}
    assert rows[2]["threadName"] != rows[0]["threadName"]


def test_an_answer_that_asks_to_close_is_a_polite_close(log: Path) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(GOOD.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        await reader.read()

    assert told(keep_open(HeldKind.POOLED, serve, log, rows=2)) == [("", "close", "2")] * 2


def test_a_download_that_ends_before_its_length_is_lost_at_its_byte(log: Path) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + b"x" * 40)
        await writer.drain()

    assert told(keep_open(HeldKind.DOWNLOAD, serve, log, rows=1)) == [("truncated", "fin", "40")]


def test_an_upload_that_is_cut_is_lost_at_the_byte_that_was_sent_last(log: Path) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(16)

    (row,) = keep_open(HeldKind.UPLOAD, serve, log, rows=1)
    assert row["error"] in ("truncated", "reset")
    assert row["position"] in ("16", "32")


def test_a_stream_of_events_that_ends_without_saying_so_is_lost(log: Path) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for number in (1, 2):
            event = b"id: %d\ndata: %d\n\n" % (number, number)
            writer.write(b"%x\r\n%s\r\n" % (len(event), event))
            await writer.drain()

    rows = keep_open(HeldKind.SSE, serve, log, rows=4)
    assert told(rows) == [("", "", "0"), ("", "", "1"), ("", "", "2"), ("truncated", "fin", "2")]


def test_a_stream_of_events_that_says_its_end_is_closed_politely(log: Path) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nid: 1\ndata: 1\n\nevent: end\ndata: bye\n\n")

    assert told(keep_open(HeldKind.SSE, serve, log, rows=3))[2] == ("", "close", "1")


def test_an_event_that_is_missing_is_a_loss(log: Path) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nid: 1\ndata: 1\n\nid: 3\ndata: 3\n\n")
        await reader.read()

    assert told(keep_open(HeldKind.SSE, serve, log, rows=3))[2] == ("assertion", "", "3")


@pytest.mark.parametrize(("polite", "expected"), [(True, ("", "close", "1")), (False, ("truncated", "fin", "1"))])
def test_a_websocket_that_ends_is_lost_unless_a_close_frame_says_so(
    log: Path, polite: bool, expected: tuple[str, str, str]
) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        protocol = WSConnection(ConnectionType.SERVER)
        while True:
            protocol.receive_data(await reader.read(65536))
            for event in protocol.events():
                if isinstance(event, Request):
                    writer.write(protocol.send(AcceptConnection()))
                elif isinstance(event, TextMessage):
                    writer.write(protocol.send(TextMessage(event.data)))
                    await writer.drain()
                    if polite:
                        writer.write(protocol.send(CloseConnection(code=1001)))
                    return

    assert told(keep_open(HeldKind.WEBSOCKET, serve, log, rows=3))[2] == expected


def test_a_tcp_connection_that_ends_is_lost_for_nothing_could_say_so_before(log: Path) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readline())
        await writer.drain()
        reset(writer)

    assert told(keep_open(HeldKind.TCP, serve, log, rows=3))[2] == ("reset", "rst", "1")


class H2Server:
    """Answers the first `answered` streams of a connection, and then does what the test wants."""

    def __init__(self, answered: int, ending: str) -> None:
        self._answered = answered
        self._ending = ending

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        protocol = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        protocol.initiate_connection()
        writer.write(protocol.data_to_send())
        answered = 0
        while data := await reader.read(65536):
            for event in protocol.receive_data(data):
                if not isinstance(event, h2.events.StreamEnded):
                    continue
                stream = event.stream_id
                if answered < self._answered:
                    protocol.send_headers(stream, [(":status", "200"), ("x-worker", "17")])
                    protocol.send_data(stream, b"ok", end_stream=True)
                    answered += 1
                    continue
                if self._ending == "refused":
                    protocol.reset_stream(stream, h2.errors.ErrorCodes.REFUSED_STREAM)
                elif self._ending == "reset":
                    protocol.reset_stream(stream, h2.errors.ErrorCodes.INTERNAL_ERROR)
                else:
                    last = stream if self._ending == "taken" else 0
                    protocol.close_connection(last_stream_id=last)
                    writer.write(protocol.data_to_send())
                    return
            writer.write(protocol.data_to_send())


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        ("refused", ("", "rst", "")),
        ("untaken", ("", "goaway", "")),
        ("taken", ("truncated", "fin", "")),
        ("reset", ("reset", "rst", "")),
    ],
)
def test_a_stream_is_lost_only_where_the_server_had_taken_it(
    log: Path, ending: str, expected: tuple[str, str, str]
) -> None:
    rows = keep_open(HeldKind.H2, H2Server(1, ending), log, rows=2)
    assert told(rows)[1] == expected


def test_an_answer_that_comes_behind_a_goaway_is_whole(log: Path) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        protocol = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        protocol.initiate_connection()
        writer.write(protocol.data_to_send())
        while data := await reader.read(65536):
            for event in protocol.receive_data(data):
                if isinstance(event, h2.events.StreamEnded):
                    stream = event.stream_id
                    goaway = b"\x00\x00\x08\x07\x00\x00\x00\x00\x00" + stream.to_bytes(4) + b"\x00\x00\x00\x00"
                    writer.write(protocol.data_to_send() + goaway)
                    protocol.send_headers(stream, [(":status", "200")])
                    protocol.send_data(stream, b"ok", end_stream=True)
            writer.write(protocol.data_to_send())

    rows = keep_open(HeldKind.H2, serve, log, rows=3)
    assert [row["error"] for row in rows] == ["", "", ""]
    assert "goaway" in {row["ended_by"] for row in rows}


SILENT = ("read_timeout", "silence", "")
Protocol = h2.connection.H2Connection


def serve_h2(
    settings: dict[h2.settings.SettingCodes | int, int], heed: Callable[[Protocol, h2.events.Event], bool]
) -> Serve:
    """A server with these settings; `heed` is given each event, and says whether its connection is still there."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        protocol = Protocol(h2.config.H2Configuration(client_side=False))
        protocol.initiate_connection()
        protocol.update_settings(settings)
        writer.write(protocol.data_to_send())
        is_there = True
        while data := await reader.read(65536):
            for event in protocol.receive_data(data):
                is_there = is_there and heed(protocol, event)
            if is_there:
                writer.write(protocol.data_to_send())

    return serve


def answer(protocol: Protocol, stream: int) -> None:
    protocol.send_headers(stream, [(":status", "200")])
    protocol.send_data(stream, b"ok", end_stream=True)


def sessions(rows: list[dict[str, str]]) -> set[str]:
    return {row["threadName"].split(".")[1] for row in rows}


def test_streams_of_a_server_that_stalls_are_silent_however_many_come(log: Path) -> None:
    def stall(protocol: Protocol, event: h2.events.Event) -> bool:
        protocol.ping(b"there...")
        return True

    settings: dict[h2.settings.SettingCodes | int, int] = {h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: 2}
    rows = keep_open(HeldKind.H2, serve_h2(settings, stall), log, rows=12, count=4, timeout_s=SHORT_S)
    assert told(rows) == [SILENT] * 12
    assert len(sessions(rows)) <= 4


def test_a_connection_that_is_silently_dead_costs_each_stream_on_it_one_request_and_no_more(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead: list[Protocol] = []
    # The server's SETTINGS may arrive after the first two requests were sent, but not after the third.
    monkeypatch.setattr(Slot, "pause_ns", lambda slot, _: 500_000_000 + slot.number * 250_000_000)

    def answer_at_second_connection(protocol: Protocol, event: h2.events.Event) -> bool:
        if isinstance(event, h2.events.StreamEnded):
            if protocol in dead or not dead:
                dead.append(protocol)
                return False
            answer(protocol, event.stream_id)
        return True

    rows = keep_open(HeldKind.H2, serve_h2({}, answer_at_second_connection), log, rows=6, count=3, timeout_s=2.0)
    assert told(rows) == [SILENT] * 3 + [("", "", "2")] * 3
    assert [row["threadName"].split(".")[1] for row in rows] == ["1"] * 3 + ["2"] * 3


@pytest.mark.parametrize("window", [0, 10])
def test_a_request_waits_for_a_window_that_opens_later(log: Path, window: int) -> None:
    def open_window(protocol: Protocol, event: h2.events.Event) -> bool:
        if isinstance(event, h2.events.RequestReceived):
            protocol.increment_flow_control_window(64, event.stream_id)
            protocol.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 100})
        elif isinstance(event, h2.events.StreamEnded):
            answer(protocol, event.stream_id)
        return True

    settings: dict[h2.settings.SettingCodes | int, int] = {h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: window}
    rows = keep_open(HeldKind.H2, serve_h2(settings, open_window), log, rows=4, count=2)
    assert told(rows) == [("", "", "2")] * 4


def test_places_that_wait_for_the_same_connection_fail_together(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attempts = []

    async def time_out(route: Route, timeout_s: float) -> HeldConnection:
        attempts.append(route)
        await asyncio.sleep(0.3)
        raise TimeoutError

    monkeypatch.setattr(HeldConnection, "open", time_out)
    rows = keep_open(HeldKind.H2, serve_h2({}, lambda *_: True), log, rows=10, count=10)
    assert {row["error"] for row in rows} == {"connect_timeout"}
    assert len(attempts) < len(rows)
