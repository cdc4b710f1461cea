"""A small POST (PUT beside a twin) on a kept connection, again and again: what `pooled` and `idle` have in common."""

from time import monotonic_ns

from switchover.http.request import request_head
from switchover.patient.slot import Slot
from switchover.patient.spec import USER_AGENT

BODY = b"x" * 64


async def post_repeatedly(slot: Slot, pause_s: tuple[float, float]) -> None:
    """A POST is due after each pause; one whose time has passed while the last was under way is not made up for."""
    request = post_request(slot, BODY)
    due_ns = monotonic_ns() + _pause_ns(slot, pause_s)
    while True:
        await slot.rest_until(due_ns)
        await _post(slot, request, due_ns)
        due_ns = max(due_ns + _pause_ns(slot, pause_s), monotonic_ns())


def post_request(slot: Slot, body: bytes) -> bytes:
    length = ("Content-Length", str(len(body)))
    return request_head(slot.endpoint, agent=USER_AGENT, keep=True, method=slot.spec.method, more=(length,)) + body


async def _post(slot: Slot, request: bytes, due_ns: int) -> None:
    async with slot.exchange(due_ns) as exchange:
        connection = await slot.send_request(exchange, request)
        answer = slot.shared.answer()
        succeeded = await slot.read_answer(connection, exchange, answer)
        slot.finish(exchange, answer, succeeded=succeeded)


def _pause_ns(slot: Slot, pause_s: tuple[float, float]) -> int:
    return round(slot.random.uniform(*pause_s) * 1e9)
