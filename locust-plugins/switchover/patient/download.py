"""`download`: a body that takes seconds to come, and then the next one.

Lost: it ends before its length; `position` is the byte.
"""

from time import monotonic_ns

from switchover.http.request import request_head
from switchover.patient.slot import Slot
from switchover.patient.spec import USER_AGENT

PAUSE_S = (0.0, 0.4)
"""Between two downloads, so that the places do not stay in step."""


async def run_download(slot: Slot) -> None:
    request = request_head(slot.endpoint, agent=USER_AGENT, keep=True)
    while True:
        due_ns = monotonic_ns() + round(slot.random.uniform(*PAUSE_S) * 1e9)
        await slot.rest_until(due_ns)
        async with slot.exchange(due_ns) as exchange:
            connection = await slot.send_request(exchange, request)
            answer = slot.shared.answer()
            succeeded = await slot.read_answer(connection, exchange, answer)
            slot.finish(exchange, answer, succeeded=succeeded)
