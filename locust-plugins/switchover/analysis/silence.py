"""What silence in a balancer's own log says: no request reached it, or none was answered well.

A client that asked in vain may have waited before it asked again, so the service may have been back before the first
line says so.
"""

from dataclasses import dataclass

FIRST_WAIT_US = 1_000_000
"""A client whose first packet was lost sends it again after a second, and then after twice as long each time (RFC
6298 sections 2.1 and 5.5; Linux, Windows and macOS do so)."""
STAMP_US = 2_000
"""Begin and duration of a line are each cut to whole milliseconds. The way of an answer from the balancer to
its client is in no log; the usual spacing stands for it."""


@dataclass(frozen=True, slots=True)
class WindowEdges:
    """The good answers on both sides of a window in balancers' logs; None where the logs have none there."""

    before_us: int | None
    after_us: int | None


def least_outage_us(silence_us: int, usual_us: int, resolution_us: int) -> int:
    """For how long the service was away at least, where clients had asked within `usual_us` and got no answer.

    One that began to wait within `usual_us` came back at most a second and twice the outage later.
    """
    return max(0, (silence_us - usual_us - resolution_us - FIRST_WAIT_US) // 2)
