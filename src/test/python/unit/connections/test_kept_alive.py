"""How connections are described, opened, kept alive and given up, and a client that sends again."""

import asyncio
import contextlib
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Event, Ping, Request, TextMessage

from support.certificate import write_certificate
from support.connections import GOOD, Serve, keep_open, read_request, read_rows, told
from support.ports import closed_port
from support.servers import tcp_server
from support.waiting import wait_for
from switchover.connections.connection import HeldConnection, Route
from switchover.connections.spec import (
    HeldSpec,
    KeptOpen,
    RetryingClient,
    choose_loads,
    read_counts,
    require_retrying_client,
)
from switchover.http.address import resolve
from switchover.model.errors import UsageError
from switchover.model.held_kind import HeldKind
from switchover.target.model import Endpoint


def route_to(port: int, certificate: Path) -> Route:
    return Route(resolve("127.0.0.1", port), ssl.create_default_context(cafile=certificate), "127.0.0.1")


class GivenUp(HeldConnection):
    """One that its task gives up at the moment at which it is there."""

    task: "asyncio.Task[HeldConnection]"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.task.cancel()


def test_one_that_is_given_up_leaves_its_socket_to_no_other(tmp_path: Path) -> None:
    """A number that is closed under asyncio's transport is given to the next connection, which breaks off."""
    certificate = write_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, tmp_path / "key.pem")

    def shake_hands(connection: socket.socket, over: threading.Event) -> None:
        with contextlib.suppress(OSError), context.wrap_socket(connection, server_side=True):
            over.wait()

    async def open_in_vain(route: Route) -> None:
        for _ in range(3):
            GivenUp.task = asyncio.create_task(GivenUp.open(route, 5.0))
            with pytest.raises(asyncio.CancelledError):
                await GivenUp.task

    with tcp_server(shake_hands) as port:
        asyncio.run(open_in_vain(route_to(port, certificate)))


def test_bytes_go_both_ways_over_tls_and_its_end_is_seen(tmp_path: Path) -> None:
    certificate = write_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, tmp_path / "key.pem")

    def echo_once(connection: socket.socket, _over: threading.Event) -> None:
        with context.wrap_socket(connection, server_side=True) as tls:
            tls.sendall(tls.recv(100))

    async def talk(route: Route) -> tuple[bytes, bool]:
        connection = await HeldConnection.open(route, 5.0)
        connection.send(b"hello")
        assert await connection.more(5.0)
        answer = connection.take()
        return answer, await connection.more(5.0)

    with tcp_server(echo_once) as port:
        assert asyncio.run(talk(route_to(port, certificate))) == (b"hello", False)


PATIENCE_S = 30.0


def serve_events(*blocks: bytes, last: bytes = b"") -> Serve:
    """Server-sent events in chunks, one by one; `last` comes in one piece with the end of the answer."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for block in blocks:
            writer.write(chunk(block))
            await writer.drain()
            await asyncio.sleep(0.05)
        if last:
            writer.write(chunk(last) + chunk(b""))
        await reader.read()

    return serve


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def test_an_event_end_in_one_piece_with_the_end_of_the_answer_is_polite_with_either_line_end(log: Path) -> None:
    rows = keep_open(HeldKind.SSE, serve_events(b"id: 1\r\n\r\n", last=b"event: end\r\n\r\n"), log, rows=3)
    assert told(rows) == [("", "", "0"), ("", "", "1"), ("", "close", "1")]


def serve_websocket(answer: Callable[[WSConnection, Event], list[bytes]]) -> Serve:
    """A WebSocket; the pieces of an answer are sent one by one."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        protocol = WSConnection(ConnectionType.SERVER)
        while data := await reader.read(65536):
            protocol.receive_data(data)
            for event in protocol.events():
                pieces = (
                    [protocol.send(AcceptConnection())] if isinstance(event, Request) else answer(protocol, event)
                )
                for piece in pieces:
                    writer.write(piece)
                    await asyncio.sleep(0.05)

    return serve


def test_a_ping_between_messages_is_answered_and_no_loss(log: Path) -> None:
    def echo_and_ping(protocol: WSConnection, event: Event) -> list[bytes]:
        if not isinstance(event, TextMessage):
            return []
        return [protocol.send(TextMessage(data=event.data)), protocol.send(Ping(payload=b"there?"))]

    rows = keep_open(HeldKind.WEBSOCKET, serve_websocket(echo_and_ping), log, rows=4)
    assert told(rows) == [("", "", str(number)) for number in range(4)]


def test_a_close_frame_in_one_piece_with_an_echo_is_polite(log: Path) -> None:
    def echo_and_close(protocol: WSConnection, event: Event) -> list[bytes]:
        if not isinstance(event, TextMessage):
            return []
        return [protocol.send(TextMessage(data=event.data)) + protocol.send(CloseConnection(code=1001))]

    rows = keep_open(HeldKind.WEBSOCKET, serve_websocket(echo_and_close), log, rows=4)
    assert told(rows) == [("", "", "0"), ("", "", "1"), ("", "close", "1"), ("", "", "0")]


async def _is_open_with_tickets(port: int, certificate: Path) -> bool:
    """Asked of a TLS connection whose session tickets have come while this process did nothing."""
    route = Route(resolve("127.0.0.1", port), ssl.create_default_context(cafile=str(certificate)), "localhost")
    connection = await HeldConnection.open(route, PATIENCE_S)
    assert connection._sock is not None
    select.select([connection._sock], [], [], 1.0)  # blocks, so asyncio reads nothing meanwhile
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await connection.is_open()
    finally:
        connection.close()


def test_session_tickets_that_were_not_read_yet_keep_nobody_waiting(tmp_path: Path) -> None:
    certificate = write_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_name("key.pem"))

    def serve(connection: socket.socket, over: threading.Event) -> None:
        with context.wrap_socket(connection, server_side=True):
            over.wait(PATIENCE_S)

    with tcp_server(serve) as port:
        assert asyncio.run(_is_open_with_tickets(port, certificate))


def test_a_close_that_came_with_the_last_answer_is_seen_before_the_next_request_is_sent() -> None:
    def answer_and_close(connection: socket.socket, _: threading.Event) -> None:
        connection.sendall(GOOD)
        connection.close()

    async def is_open_behind_the_answer(port: int) -> bool:
        connection = await HeldConnection.open(Route(resolve("127.0.0.1", port)), PATIENCE_S)
        assert connection._sock is not None
        both = select.poll()
        both.register(connection._sock, select.POLLRDHUP)
        both.poll(PATIENCE_S * 1000)  # blocks, so asyncio reads nothing meanwhile
        try:
            await connection.more(PATIENCE_S)
            assert connection.take() == GOOD and connection.ended_by is None
            return await connection.is_open()
        finally:
            connection.close()
            await asyncio.sleep(0)  # until asyncio has closed it

    with tcp_server(answer_and_close) as port:
        assert not asyncio.run(is_open_behind_the_answer(port))


def test_a_request_is_lost_if_this_process_stood_still_while_it_sent(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def answer_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(GOOD)
        await read_request(reader)

    send = HeldConnection.send

    def send_and_stand_still(connection: HeldConnection, data: bytes) -> None:
        send(connection, data)
        time.sleep(0.01)

    monkeypatch.setattr(HeldConnection, "send", send_and_stand_still)
    rows = keep_open(HeldKind.POOLED, answer_once, log, rows=2)
    assert told(rows) == [("", "", "2"), ("truncated", "fin", "0")]


URLS = {HeldKind.POOLED: "http://x/", HeldKind.TCP: "tcp://x:7000"}


@pytest.mark.parametrize("text", ["pools=3", "", "pooled=-1", "pooled=x", "pooled=9999999", "pooled=٣"])
def test_counts_that_mean_nothing_are_refused_in_one_line(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_counts(text)
    assert "\n" not in str(refused.value)


def test_a_kind_that_the_target_file_says_nothing_of_is_refused_when_it_is_asked_for() -> None:
    with pytest.raises(UsageError, match="no URL for sse"):
        choose_loads({HeldKind.SSE: 1}, URLS)


@pytest.mark.parametrize(
    ("kind", "url"),
    [
        (HeldKind.TCP, "tcp://x"),
        (HeldKind.TCP, "http://x:1/"),
        (HeldKind.SSE, "tcp://x:1"),
        (HeldKind.H2, ""),
    ],
)
def test_a_url_of_the_wrong_form_is_refused(tmp_path: Path, kind: HeldKind, url: str) -> None:
    with pytest.raises(UsageError, match=f"is not a URL for {kind}"):
        HeldSpec(Endpoint("http://x/"), tmp_path / "connections.jtl", (KeptOpen(kind, 1, url),))


def test_only_streams_may_wait_longer_than_a_request(tmp_path: Path) -> None:
    spec = HeldSpec(
        Endpoint("http://x/"), tmp_path / "connections.jtl", (), timeout_read_s=2.0, timeout_stream_s=60.0
    )
    streams = {kind for kind in HeldKind if spec.timeout_of(kind) == 60.0}
    assert streams == {HeldKind.SSE, HeldKind.WEBSOCKET, HeldKind.TCP}
    assert spec.timeout_of(HeldKind.POOLED) == 2.0


def test_a_spec_comes_out_of_its_json_as_it_went_in(tmp_path: Path) -> None:
    spec = HeldSpec(
        Endpoint("https://x/", headers={"A": "b"}, ca=tmp_path / "ca.pem"),
        tmp_path / "connections.jtl",
        choose_loads({}, URLS),
        seed=5,
    )
    assert HeldSpec.from_json(spec.to_json()) == spec


class Cutting:
    """Closes the first connection under its request, and answers what comes on the others."""

    def __init__(self) -> None:
        self.connections = 0

    def __call__(self, connection: socket.socket, over: threading.Event) -> None:
        self.connections += 1
        is_cut = self.connections == 1
        while connection.recv(65536) and not is_cut:
            connection.sendall(GOOD)


def rows_of_retrying_client(method: str, log: Path) -> tuple[Sequence[dict[str, str]], dict[str, object]]:
    with tcp_server(Cutting()) as port:
        url = f"http://127.0.0.1:{port}/"
        spec = HeldSpec(Endpoint(url), log, (KeptOpen(HeldKind.POOLED, 1, url),), method=method)
        with RetryingClient(spec) as retrying_client:
            wait_for(lambda: len(read_rows(log)) >= 2)
            account = retrying_client.stop()
    return read_rows(log), account


def test_a_put_whose_connection_was_closed_under_it_is_sent_again_without_a_word(tmp_path: Path) -> None:
    rows, account = rows_of_retrying_client("PUT", tmp_path / "retrying_client.jtl")
    assert [(row["success"], row["attempts"]) for row in rows[:2]] == [("true", "2"), ("true", "1")]
    assert rows[0]["failureMessage"].startswith("retried by urllib3: ") and rows[0]["worker"] == "17"
    assert account["requests"] == len(rows) and account["failed"] == {} and "warning" not in account


def test_a_post_is_not(tmp_path: Path) -> None:
    rows, _ = rows_of_retrying_client("POST", tmp_path / "retrying_client.jtl")
    assert [(row["error"], row["ended_by"], row["attempts"]) for row in rows[:2]] == [
        ("truncated", "fin", "1"),
        ("", "", "1"),
    ]


def test_a_refused_connection_is_refused_and_not_late(tmp_path: Path) -> None:
    log = tmp_path / "retrying_client.jtl"
    with closed_port() as port:
        url = f"http://127.0.0.1:{port}/"
        with RetryingClient(HeldSpec(Endpoint(url), log, (KeptOpen(HeldKind.POOLED, 1, url),), method="PUT")):
            wait_for(lambda: len(read_rows(log)) >= 1)
    assert [read_rows(log)[0][name] for name in ("error", "ended_by", "attempts")] == ["refused", "", "4"]


def test_a_retrying_client_needs_pooled_connections() -> None:
    with pytest.raises(UsageError, match="--retrying-client needs pooled connections"):
        require_retrying_client((KeptOpen(HeldKind.IDLE, 1, "http://127.0.0.1/"),))
