"""`pooled` and `idle`: repeated POST requests on a keep-alive connection, or PUT requests with a retrying client.

`pooled` is a busy pool, with pauses of 50 to 150 ms. `idle` is a mostly idle pool, with pauses of 0.5 to 6 s. A
request is lost if it was sent and its response is incomplete. A close that was read before sending is graceful, not a
loss.
"""

from time import monotonic_ns

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
    """Send a request after each pause. A request that is due during the previous request is sent right after it."""
    length = ("Content-Length", str(len(BODY)))
    head = request_head(slot.endpoint, agent=USER_AGENT, keep=True, method=slot.spec.method, more=(length,))
    request = head + BODY
    due_ns = monotonic_ns() + slot.pause_ns(pause_s)
    while True:
        await slot.rest_until(due_ns)
        await slot.ask(request, due_ns)
        due_ns = max(due_ns + slot.pause_ns(pause_s), monotonic_ns())
