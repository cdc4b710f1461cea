"""The Switchover page of Locust's web UI, and the link to it on Locust's own page."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import gevent
from flask import Response, request

from switchover.locust.page.live_run import LiveRun
from switchover.locust.page.request_checks import HostNames
from switchover.locust.page.routes import BLUEPRINT, blueprint

if TYPE_CHECKING:
    from locust.env import Environment
    from locust.web import WebUI


INDEX = "locust.index"
LINK = (
    b'<a href="./switchover" style="position:fixed;left:24px;bottom:0;padding:8px 16px;border-radius:4px 4px 0 0;'
    b"background:#15803d;color:#fff;font:500 14px Roboto,Helvetica,Arial,sans-serif;letter-spacing:.4px;"
    b'text-transform:uppercase;text-decoration:none">Switchover</a>'
)


def add_link(web_ui: WebUI) -> None:
    """Locust's tabs can hold only tables, so the page is linked below them."""
    assert web_ui.app is not None

    @web_ui.app.after_request
    def extend(response: Response) -> Response:
        if request.endpoint == INDEX and response.status_code == 200 and response.mimetype == "text/html":
            response.set_data(response.get_data().replace(b"</body>", LINK + b"</body>", 1))
        return response


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
    add_link(web_ui)
    JournalShipper(live).start()


INTERVAL_S = 0.5
SLICES = 16
"""Read in one go at most; between two slices the users of the load have their turn."""

logger = logging.getLogger(__name__)


class JournalShipper:
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
