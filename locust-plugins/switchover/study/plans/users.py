"""The users of a study: each user requests one path again and again without a pause, or arrives on a schedule.

The environment variable SWITCHOVER_STUDY_LOAD has the settings (study_file.LoadSettings).
"""

import itertools
import json
import os
import random
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from locust import HttpUser
from requests.adapters import HTTPAdapter

from switchover.locust.user.open_loop_user import OpenLoopUser
from switchover.locust.user.session import BalancerHttpSession

SETTINGS: dict[str, Any] = json.loads(os.environ["SWITCHOVER_STUDY_LOAD"])
METHOD, PATH, EXPECT = SETTINGS["method"], SETTINGS["path"], SETTINGS["expect"]
ADDRESSES = itertools.cycle(SETTINGS["addresses"]) if SETTINGS["addresses"] else None
HEADERS = {} if SETTINGS["keep_alive"] else {"Connection": "close"}
NAME = "request"


class BoundAdapter(HTTPAdapter):
    def __init__(self, address: str) -> None:
        self._address = address
        super().__init__()

    def init_poolmanager(self, *arguments: Any, **settings: Any) -> None:
        super().init_poolmanager(*arguments, **settings, source_address=(self._address, 0))


def ask(user: Any) -> None:
    """Request the path, and check the status if the settings require a status."""
    left = getattr(user, "left", 0)
    user.left = max(0, left - 1)
    url = user.direct + PATH if left else PATH
    with user.client.request(METHOD, url, name=NAME, headers=HEADERS, catch_response=True) as answer:
        if EXPECT and str(answer.status_code) != EXPECT:
            answer.failure(f"status {answer.status_code} instead of {EXPECT}")
        elif SETTINGS["per_redirect"] > 1 and not user.left and answer.url:
            parts = urlsplit(answer.url)
            user.direct, user.left = f"{parts.scheme}://{parts.netloc}", SETTINGS["per_redirect"] - 1


class PlainUser(HttpUser):
    tasks = [ask]  # noqa: RUF012 - as Locust declares it
    abstract = bool(SETTINGS["rate"])

    def on_start(self) -> None:
        self.client.verify = SETTINGS["ca"] or True
        if ADDRESSES is not None:
            self.client.mount("http://", BoundAdapter(next(ADDRESSES)))


@dataclass(slots=True)
class ReturningClient:
    """A client that returns. It remembers the server of the last redirect and the remaining requests to it, or the
    value of a cookie."""

    origin: str = ""
    left: int = 0
    cookies: dict[str, str] = field(default_factory=dict)


class Visitors(OpenLoopUser):
    """Visitors on a schedule. Each visitor is a random client of `users` clients.

    With the redirector, the client sends `per_redirect` - 1 further requests to the server of its last redirect. With
    `keep_cookies`, the client sends its cookie.
    """

    abstract = not SETTINGS["rate"]
    rate = SETTINGS["rate"] or 1.0
    source_addresses = tuple(SETTINGS["addresses"])

    def on_start(self) -> None:
        super().on_start()
        self._clients = [ReturningClient() for _ in range(SETTINGS["users"])]

    def visit(self, client: BalancerHttpSession) -> None:
        chosen = random.choice(self._clients)
        if chosen.left:
            chosen.left -= 1
            client.get(chosen.origin + PATH, name=NAME)
            return
        answer = client.get(PATH, name=NAME, cookies=chosen.cookies)
        if SETTINGS["keep_cookies"]:
            chosen.cookies |= {cookie.name: cookie.value or "" for cookie in answer.cookies}
        if answer.status_code == 200:
            parts = urlsplit(answer.url or "")
            chosen.origin, chosen.left = f"{parts.scheme}://{parts.netloc}", max(0, SETTINGS["per_redirect"] - 1)
