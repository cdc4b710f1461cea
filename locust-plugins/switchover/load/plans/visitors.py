"""The load of a drill without a plan: 50 of these users send about 200 requests per second.

In the lab, the users request several paths, because the lab answers every path. On other targets, the users request
only the URL of the target file. Every fifth user opens a new connection for each visit.
"""

import random
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from locust import FastHttpUser, between, task

from switchover.target.model import Target
from switchover.target.reader import load_target

ITEMS = 200


@cache
def _target(file: str) -> Target:
    return load_target(Path(file))


class Visitor(FastHttpUser):
    """A user who waits for each response, and then pauses for 0.15 to 0.35 s."""

    abstract = True
    wait_time = between(0.15, 0.35)
    connection_timeout = 1.0
    network_timeout = 2.0

    def on_start(self) -> None:
        target = _target(self.environment.parsed_options.switchover_target)
        endpoint = target.endpoint
        parts = urlsplit(endpoint.url)
        self._several = target.lab is not None
        self._page = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._headers = dict(endpoint.headers)
        if endpoint.host_header:
            self._headers["Host"] = endpoint.host_header

    def visit(self, path: str, name: str) -> None:
        self.client.get(path if self._several else self._page, name=name, headers=self._headers)

    @task(5)
    def look_at_an_item(self) -> None:
        self.visit(f"/item/{random.randrange(ITEMS)}", "item")

    @task(3)
    def search(self) -> None:
        self.visit(f"/search?q={random.randrange(ITEMS)}", "search")

    @task(2)
    def come_home(self) -> None:
        self.visit("/", "home")


class Regular(Visitor):
    weight = 4


class Newcomer(Visitor):
    weight = 1

    def on_start(self) -> None:
        super().on_start()
        self._headers["Connection"] = "close"
