"""`idle`: the connections of a pool at night. A POST after 0.5 to 6 s of silence.

Lost: sent, and no whole answer. A close that was read before sending is polite, and no loss.
"""

from switchover.connections.post_requests import post_repeatedly
from switchover.connections.slot import Slot

PAUSE_S = (0.5, 6.0)


async def run_idle(slot: Slot) -> None:
    await post_repeatedly(slot, PAUSE_S)
