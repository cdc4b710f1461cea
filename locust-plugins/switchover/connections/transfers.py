"""The kinds `pooled`, `idle`, `download` and `upload`: repeated requests with bodies of a known length.

`pooled` is a busy pool, with pauses of 50 to 150 ms between requests. `idle` is a mostly idle pool, with pauses of
0.5 to 6 s. Both kinds send POST requests, or PUT requests if there is a retrying client. A request is lost if it was
sent and its response is incomplete. A close that was read before the request was sent is a graceful close and not a
loss.

`download` and `upload` transfer a body that takes several seconds. A download is lost if it ends early. The
`position` of a download is the number of received bytes. An upload is lost if the connection ends before the end of
the response, or if the server refuses the upload. The `position` of an upload is the number of sent bytes.
"""

import asyncio
from time import monotonic_ns

from switchover.connections.connection import HeldConnection
from switchover.connections.records import HeldExchange
from switchover.connections.slot import Slot
from switchover.connections.spec import USER_AGENT
from switchover.http.request import request_head

PAUSE_S = (0.05, 0.15)
IDLE_PAUSE_S = (0.5, 6.0)
BODY = b"x" * 64


async def run_pooled(slot: Slot) -> None:
    await _post_repeatedly(slot, PAUSE_S)


async def run_idle(slot: Slot) -> None:
    await _post_repeatedly(slot, IDLE_PAUSE_S)


async def _post_repeatedly(slot: Slot, pause_s: tuple[float, float]) -> None:
    """Send a request after each pause. A request that is due during the previous request is sent immediately after
    the previous request."""
    length = ("Content-Length", str(len(BODY)))
    head = request_head(slot.endpoint, agent=USER_AGENT, keep=True, method=slot.spec.method, more=(length,))
    request = head + BODY
    due_ns = monotonic_ns() + slot.pause_ns(pause_s)
    while True:
        await slot.rest_until(due_ns)
        await slot.ask(request, due_ns)
        due_ns = max(due_ns + slot.pause_ns(pause_s), monotonic_ns())


BODY_PAUSE_S = (0.0, 0.4)
"""The bounds of the random pause, in seconds, between two bodies. The pause is random so that the slots do not
synchronize."""


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
    """Send the body until its end or until the server responds. Returns the number of sent bytes."""
    start_ns, sent = monotonic_ns(), 0
    for number in range(lines):
        wait_s = (start_ns + number * round(LINE_S * 1e9) - monotonic_ns()) / 1e9
        try:
            if connection.ended_by is not None or await connection.more(max(wait_s, 0.0)):
                return sent
        except TimeoutError:
            pass
        if connection.ended_by is not None:
            return sent
        line = (LINE % number).encode()
        connection.send(line)
        sent += len(line)
        exchange.sent_bytes += len(line)
        exchange.position = sent
    await asyncio.sleep(0)
    return sent
