"""A run while it goes on, for those who watch it: counts so far, in bounded memory, and what is known of the rest.

The run directory stays the truth. Nothing here is judged: what is shown before the analysis has spoken is
provisional, and says so.
"""

from switchover.locust.live.run import LiveRun

__all__ = ["LiveRun"]
