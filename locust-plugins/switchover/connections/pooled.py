"""`pooled`: the connections of a busy pool. A POST every 50 to 150 ms, each on a connection that is kept.

Lost: sent, and no whole answer. A close that was read before sending is polite, and no loss.
"""

from switchover.connections.post_requests import post_repeatedly
from switchover.connections.slot import Slot

PAUSE_S = (0.05, 0.15)


async def run_pooled(slot: Slot) -> None:
    await post_repeatedly(slot, PAUSE_S)
