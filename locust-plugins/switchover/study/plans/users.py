"""The users of a study, who wait for their responses, or visitors on a schedule (study_file.LoadSettings)."""

import itertools
import json
import os
import random
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import gevent
from gevent.pool import Group
from locust import HttpUser, task
from requests.adapters import HTTPAdapter

from switchover.locust.clients.unreported import report_abandoned
from switchover.locust.recording.request_facts import RUN_CLOCK, RequestFacts
from switchover.locust.user.balancer_http_user import BalancerHttpUser
from switchover.locust.user.session import BalancerHttpSession

SETTINGS: dict[str, Any] = json.loads(os.environ["SWITCHOVER_STUDY_LOAD"])
METHOD, EXPECT = SETTINGS["method"], SETTINGS["expect"]
ADDRESSES = itertools.cycle(SETTINGS["addresses"]) if SETTINGS["addresses"] else None
HEADERS = {} if SETTINGS["keep_alive"] else {"Connection": "close"}
NAME = "request"
MOST_OPEN = 2000
"""The maximum number of simultaneous visitors. Each further visitor is recorded as an unsent request."""


class BoundAdapter(HTTPAdapter):
    def __init__(self, address: str) -> None:
        self._address = address
        super().__init__()

    def init_poolmanager(self, *arguments: Any, **settings: Any) -> None:
        super().init_poolmanager(*arguments, **settings, source_address=(self._address, 0))


def send_request(user: Any) -> None:
    with user.client.request(METHOD, "/", name=NAME, headers=HEADERS, catch_response=True) as answer:
        if EXPECT and str(answer.status_code) != EXPECT:
            answer.failure(f"status {answer.status_code} instead of {EXPECT}")


class PlainUser(HttpUser):
    tasks = [send_request]  # noqa: RUF012 - as Locust declares it
    abstract = bool(SETTINGS["rate"])

    def on_start(self) -> None:
        self.client.verify = SETTINGS["ca"] or True
        if ADDRESSES is not None:
            self.client.mount("http://", BoundAdapter(next(ADDRESSES)))


@dataclass(slots=True)
class ReturningClient:
    """A client that makes several visits. It keeps its cookies, or uses the server of its last redirect for `left`
    more requests."""

    origin: str = ""
    left: int = 0
    cookies: dict[str, str] = field(default_factory=dict)


class Visitors(BalancerHttpUser):
    """Visitors that arrive on a schedule. Each visitor acts as a random client of a fixed number (`users`) of
    clients, which remember their last redirect."""

    abstract = not SETTINGS["rate"]
    connection = "fresh"

    def on_start(self) -> None:
        self._visitors = Group()
        self._idle: list[BalancerHttpSession] = []
        self._clients = [ReturningClient() for _ in range(SETTINGS["users"])]

    def on_stop(self) -> None:
        self._visitors.join(timeout=self.timeout_connect + self.timeout_read)
        self._visitors.kill()

    @task
    def arrive(self) -> None:
        begun_ns = time.monotonic_ns()
        for number in itertools.count():
            due_ns = begun_ns + round(number * 1e9 / SETTINGS["rate"])
            # A late schedule sleeps too. Otherwise no response would be read.
            gevent.sleep(max(0, due_ns - time.monotonic_ns()) / 1e9)
            if len(self._visitors) < MOST_OPEN:
                self._visitors.spawn(self._visit)
            else:
                now_us = RUN_CLOCK.now()
                report_abandoned(RequestFacts(now_us, now_us, attempts=0), METHOD, str(self.host))

    def _visit(self) -> None:
        session = self._idle.pop() if self._idle else self.new_session()
        try:
            self._request(session, random.choice(self._clients))
        finally:
            session.cookies.clear()
            self._idle.append(session)

    def _request(self, session: BalancerHttpSession, client: ReturningClient) -> None:
        if client.left:
            client.left -= 1
            session.get(client.origin + "/", name=NAME)
            return
        answer = session.get("/", name=NAME, cookies=client.cookies)
        if SETTINGS["keep_cookies"]:
            client.cookies |= {cookie.name: cookie.value or "" for cookie in answer.cookies}
        if answer.status_code == 200:
            parts = urlsplit(answer.url or "")
            client.origin, client.left = f"{parts.scheme}://{parts.netloc}", max(0, SETTINGS["per_redirect"] - 1)
