"""What ends an HTTP/2 connection that many streams share, and what only makes them wait."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import h2.config
import h2.connection
import h2.events
import h2.settings
import pytest

from support.connections import SHORT_S, Serve, keep_open, told
from switchover.connections.connection import HeldConnection, Route
from switchover.connections.slot import Slot
from switchover.model.held_kind import HeldKind

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
