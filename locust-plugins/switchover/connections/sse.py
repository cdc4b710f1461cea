"""The kind `sse`: a stream of server-sent events, with a numbered event every 200 ms.

A missing event, an event out of order, and an end without an event `end` are losses. `position` is the number of the
last received event.
"""

import re
from time import monotonic_ns

from switchover.connections.connection import HeldConnection
from switchover.connections.slot import STREAM_PAUSE_S, Slot
from switchover.connections.spec import USER_AGENT
from switchover.http.answer import AnswerProgress, CountedAnswer
from switchover.http.head import AnswerHead
from switchover.http.request import request_head
from switchover.model.failure_kind import FailureKind
from switchover.rundir.sample_log import EndedBy

PUSHED_EACH_NS = 200_000_000
_NUMBER = re.compile(rb"^(?:id|data): ?([0-9]{1,15})\r?$", re.MULTILINE)
_COMMENTS = re.compile(rb"(?::[^\n]*\n?)+")
"""Matches a block of comments. Servers send comments as a heartbeat, not as an event."""
_END = re.compile(rb"^event: ?end\r?$", re.MULTILINE)


async def run_sse(slot: Slot) -> None:
    request = request_head(slot.endpoint, agent=USER_AGENT, keep=True, more=(("Cache-Control", "no-cache"),))
    while True:
        await slot.rest(STREAM_PAUSE_S)
        content = bytearray()
        answer = slot.shared.answer(content)
        is_open = False
        async with slot.exchange() as exchange:
            connection = await slot.send_request(exchange, request)
            is_open = await slot.read_answer(connection, exchange, answer, until_head=True)
            exchange.position = 0
        if is_open:
            await _follow(slot, connection, answer, content)
        slot.drop()


async def _follow(
    slot: Slot, connection: HeldConnection, answer: CountedAnswer[AnswerHead], content: bytearray
) -> None:
    """Record one exchange for each event. The due times are 200 ms apart, starting at the first event."""
    last: int | None = None
    due_ns = 0
    while True:
        async with slot.exchange(due_ns) as exchange:
            exchange.start_ns, exchange.position = due_ns or exchange.start_ns, last
            event = await _next_event(slot, connection, answer, content)
            exchange.first_ns = exchange.end_ns = connection.first_ns or monotonic_ns()
            exchange.start_ns = min(exchange.start_ns, exchange.end_ns)
            if event is None or not (number := _NUMBER.search(event)):
                if event is not None and _END.search(event):
                    exchange.ended_by = EndedBy.CLOSE
                elif event is None and answer.violation:
                    exchange.fail(FailureKind.PROTOCOL, answer.violation)
                else:
                    slot.fail_by_end(exchange, connection, f"event {last}")
                return
            exchange.nbytes, came = len(event), int(number[1])
            if last is not None and came != last + 1:
                exchange.fail(FailureKind.ASSERTION, f"event {came} arrived after event {last}")
            last = exchange.position = came
        if exchange.error is not None and exchange.error is not FailureKind.ASSERTION:
            return
        due_ns = (due_ns or exchange.end_ns) + PUSHED_EACH_NS


async def _next_event(
    slot: Slot, connection: HeldConnection, answer: CountedAnswer[AnswerHead], content: bytearray
) -> bytes | None:
    """Return the next complete event, or None at the end of the stream. Raises TimeoutError."""
    while True:
        event, blank, rest = bytes(content).replace(b"\r\n", b"\n").partition(b"\n\n")
        if blank:
            content[:] = rest
            if not _COMMENTS.fullmatch(event):
                return event
            continue
        if connection.received:
            is_over = answer.feed(connection.take()) is not AnswerProgress.MORE
            if is_over and b"\n\n" not in content.replace(b"\r\n", b"\n"):
                return None
        elif connection.ended_by is not None:
            return None
        else:
            connection.first_ns = 0
            await connection.more(slot.spec.timeout_of(slot.kind))
