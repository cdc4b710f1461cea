"""The kinds `pooled`, `idle`, `download` and `upload`: repeated requests with bodies of a known length.

`pooled` pauses for 50 to 150 ms between requests, and `idle` for 0.5 to 6 s. A request is lost if it was sent and its
response is incomplete. If the server's close was read before the request was sent, it is a graceful close, not a
loss.

`download` and `upload` transfer a body that takes several seconds. A download is lost if it ends early. An upload is
lost if its response is incomplete or a refusal. `position` is the number of received body bytes; for an upload, of
sent body bytes.
"""

import asyncio
from contextlib import suppress
from time import monotonic_ns

from switchover.connections.connection import HeldConnection
from switchover.connections.records import HeldExchange
from switchover.connections.slot import Slot
from switchover.connections.spec import USER_AGENT
from switchover.http.request import request_head

PAUSE_S = (0.05, 0.15)
IDLE_PAUSE_S = (0.5, 6.0)
BODY = b"x" * 64


async def post_repeatedly(slot: Slot, pause_s: tuple[float, float]) -> None:
    """Send a request after each pause. If a request is due before the previous request has ended, it is sent as soon
    as the previous request ends."""
    length = ("Content-Length", str(len(BODY)))
    head = request_head(slot.endpoint, agent=USER_AGENT, keep=True, method=slot.spec.method, more=(length,))
    request = head + BODY
    due_ns = monotonic_ns() + slot.pause_ns(pause_s)
    while True:
        await slot.rest_until(due_ns)
        await slot.ask(request, due_ns)
        due_ns = max(due_ns + slot.pause_ns(pause_s), monotonic_ns())


BODY_PAUSE_S = (0.0, 0.4)
"""The bounds, in seconds, of the random pause between two bodies. A fixed pause would synchronize the slots."""


async def run_download(slot: Slot) -> None:
    request = request_head(slot.endpoint, agent=USER_AGENT, keep=True)
    while True:
        await slot.ask(request, await slot.rest(BODY_PAUSE_S))


LINE_S = 0.1
LINE = "%015d\n"


async def run_upload(slot: Slot) -> None:
    lines = max(1, round(slot.spec.body_s / LINE_S))
    length = ("Content-Length", str(lines * len(LINE % 0)))
    head = request_head(slot.endpoint, agent=USER_AGENT, keep=True, method="POST", more=(length,))
    while True:
        due_ns = await slot.rest(BODY_PAUSE_S)
        async with slot.exchange(due_ns) as exchange:
            connection = await slot.send_request(exchange, head)
            answer = slot.shared.answer()
            sent = await _send_lines(connection, exchange, lines)
            succeeded = await slot.read_answer(connection, exchange, answer)
            exchange.position = sent
            slot.finish(exchange, answer, succeeded=succeeded)


async def _send_lines(connection: HeldConnection, exchange: HeldExchange, lines: int) -> int:
    """Send the body until the server responds or the body ends. Returns the number of sent bytes."""
    start_ns, sent = monotonic_ns(), 0
    for number in range(lines):
        wait_s = (start_ns + number * round(LINE_S * 1e9) - monotonic_ns()) / 1e9
        with suppress(TimeoutError):
            await connection.more(max(wait_s, 0.0))
        if connection.received or connection.ended_by is not None:
            return sent
        line = (LINE % number).encode()
        connection.send(line)
        sent += len(line)
        exchange.sent_bytes += len(line)
        exchange.position = sent
    await asyncio.sleep(0)
    return sent
