"""The Switchover page of Locust's web UI."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import gevent

from switchover.locust.page.host_names import HostNames
from switchover.locust.page.live_run import LiveRun
from switchover.locust.page.routes import BLUEPRINT, blueprint
from switchover.locust.page.tab import add_tab

if TYPE_CHECKING:
    from locust.env import Environment


def register(environment: Environment, live: LiveRun, hosts: HostNames) -> None:
    """Put the page under the web UI and link it there; nothing without a web UI, and nothing the second time.

    In `init`: Flask takes no routes once it has answered a request.
    """
    web_ui = environment.web_ui
    if web_ui is None or web_ui.app is None or BLUEPRINT in web_ui.app.blueprints:
        return
    base_path = web_ui.app.blueprints["locust"].url_prefix or ""
    pages = blueprint(environment, live, hosts)
    web_ui.app.register_blueprint(pages, url_prefix=f"{base_path.rstrip('/')}/switchover")
    add_tab(web_ui, live)

    JournalFollower(live).start()


INTERVAL_S = 0.5
SLICES = 16
"""Read in one go at most; between two slices the users of the load have their turn."""

logger = logging.getLogger(__name__)


class JournalFollower:
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
            except Exception as error:  # an error of the page must not end the load
                self._say(f"the Switchover page cannot follow the run: {type(error).__name__}: {error}")
            gevent.sleep(INTERVAL_S)

    def _say(self, text: str) -> None:
        """Once each."""
        if text not in self._said and len(self._said) < 10:
            self._said.add(text)
            logger.warning(text)
