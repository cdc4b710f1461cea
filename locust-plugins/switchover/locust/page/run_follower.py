"""Keeps the live state up to date with the run directory, whether or not anybody looks at it."""

import logging

import gevent

from switchover.locust.page.live_run import LiveRun

INTERVAL_S = 0.5
SLICES = 16
"""Read in one go at most; between two slices the users of the load have their turn."""

logger = logging.getLogger(__name__)


class Follower:
    """A greenlet beside the load, until the process ends."""

    def __init__(self, live: LiveRun) -> None:
        self._live = live
        self._said: set[str] = set()

    def start(self) -> None:
        gevent.spawn(self._follow)

    def _follow(self) -> None:
        while True:
            try:
                for _ in range(SLICES):
                    if not self._live.advance():
                        break
                    gevent.sleep(0)
            except Exception as error:  # a page that stands still must not take the load with it
                self._say(f"the Switchover page cannot follow the run: {type(error).__name__}: {error}")
            gevent.sleep(INTERVAL_S)

    def _say(self, text: str) -> None:
        """Once each."""
        if text not in self._said and len(self._said) < 10:
            self._said.add(text)
            logger.warning(text)
