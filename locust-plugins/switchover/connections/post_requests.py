"""A small POST (PUT beside a retrying client) on a kept connection, again and again: what `pooled` and `idle` have in
common."""

from time import monotonic_ns

from switchover.connections.slot import Slot
from switchover.connections.spec import USER_AGENT
from switchover.http.request import request_head

BODY = b"x" * 64


async def post_repeatedly(slot: Slot, pause_s: tuple[float, float]) -> None:
    """A POST is due after each pause; one whose time has passed while the last was under way is not made up for."""
    length = ("Content-Length", str(len(BODY)))
    head = request_head(slot.endpoint, agent=USER_AGENT, keep=True, method=slot.spec.method, more=(length,))
    request = head + BODY
    due_ns = monotonic_ns() + slot.pause_ns(pause_s)
    while True:
        await slot.rest_until(due_ns)
        await slot.ask(request, due_ns)
        due_ns = max(due_ns + slot.pause_ns(pause_s), monotonic_ns())
