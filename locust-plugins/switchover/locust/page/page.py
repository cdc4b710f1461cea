"""The Switchover page of Locust's web UI."""

from __future__ import annotations

from typing import TYPE_CHECKING

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

    from switchover.locust.page.run_follower import Follower  # brings gevent, which only Locust's own processes want

    Follower(live).start()
