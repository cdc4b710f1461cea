"""`download`: a body that takes seconds to come, and then the next one.

Lost: it ends before its length; `position` is the byte.
"""

from switchover.connections.slot import Slot
from switchover.connections.spec import USER_AGENT
from switchover.http.request import request_head

PAUSE_S = (0.0, 0.4)
"""Between two downloads, so that the places do not stay in step."""


async def run_download(slot: Slot) -> None:
    request = request_head(slot.endpoint, agent=USER_AGENT, keep=True)
    while True:
        await slot.ask(request, await slot.rest(PAUSE_S))
