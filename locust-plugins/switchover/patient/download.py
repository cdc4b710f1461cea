"""`download`: a body that takes seconds to come, and then the next one.

Lost: it ends before its length; `position` is the byte.
"""

from switchover.http.request import request_head
from switchover.patient.slot import Slot
from switchover.patient.spec import USER_AGENT

PAUSE_S = (0.0, 0.4)
"""Between two downloads, so that the places do not stay in step."""


async def run_download(slot: Slot) -> None:
    request = request_head(slot.endpoint, agent=USER_AGENT, keep=True)
    while True:
        await slot.ask(request, await slot.rest(PAUSE_S))
