"""`OpenLoopUser`: visitors arrive on a schedule, even while earlier visitors still wait.

Locust's users form a closed loop: each waits for its answer before its next request. During an outage they send few
requests, and the figures hide most of it. Here visitor `i` is due at `t0 + i / rate`, independent of the answers. The
column `intended_us` of the sample log contains this time.
"""

import logging
import time
from typing import Any

import gevent
from gevent.pool import Group
from locust import task

from switchover.locust.clients.run_clock import RUN_CLOCK
from switchover.locust.recording.request_facts import NoAnswer, RequestFacts
from switchover.locust.user.balancer_http_user import BalancerHttpUser
from switchover.locust.user.errors import RequestError
from switchover.locust.user.session import BalancerHttpSession
from switchover.locust.user.settings import settings_of
from switchover.model.failure_kind import FailureKind

logger = logging.getLogger(__name__)


class OpenLoopUser(BalancerHttpUser):
    """A stream of visitors. Override `visit` with the requests of a visitor. Each Locust user is one stream.

    A visitor begins without cookies.
    """

    abstract = True

    connection = "fresh"
    rate: float = 10.0
    most_open: int = 2000
    """The highest number of simultaneous visitors of a stream.

    Each further visitor is a failed sample (`generator`).
    """

    def visit(self, client: BalancerHttpSession) -> None:
        """Make the requests of one visitor. The first request has the scheduled time of the visitor."""
        raise NotImplementedError(f"{type(self).__name__} needs a method visit(self, client)")

    def on_start(self) -> None:
        self._visitors = Group()
        self._idle: list[BalancerHttpSession] = []

    def on_stop(self) -> None:
        """Wait for the current visitors, at most as long as the sum of their time-outs."""
        self._visitors.join(timeout=self.timeout_connect + self.timeout_read)
        self._visitors.kill()
        for client in self._idle:
            client.close()

    @task
    def _arrivals(self) -> None:
        begun_ns, number = time.monotonic_ns(), 0
        while True:
            due_ns = begun_ns + round(number * 1e9 / self.rate)
            # A late stream sleeps too: without yielding, answers would not be read.
            gevent.sleep(max(0, due_ns - time.monotonic_ns()) / 1e9)
            self._admit((due_ns + RUN_CLOCK.anchor_ns) // 1000)
            number += 1

    def _admit(self, due_us: int) -> None:
        if len(self._visitors) < self.most_open:
            self._visitors.spawn(self._receive, due_us)
            return
        now_us = (time.monotonic_ns() + RUN_CLOCK.anchor_ns) // 1000
        facts = RequestFacts(now_us, now_us, attempts=0, kind=FailureKind.GENERATOR, intended_us=due_us)
        self.environment.events.request.fire(
            request_type="GET",
            name="no room for a visitor",
            response_time=0.0,
            response_length=0,
            response=NoAnswer(facts),
            context=self.context(),
            exception=RequestError(FailureKind.GENERATOR, f"{self.most_open} visitors are still there"),
            start_time=now_us / 1e6,
            url=self.host,
        )

    def _receive(self, due_us: int) -> None:
        client = self._idle.pop() if self._idle else self._new_client()
        client.intended_us = due_us
        try:
            self.visit(client)
        except Exception as error:
            self.environment.events.user_error.fire(user_instance=self, exception=error, tb=error.__traceback__)
            logger.error("a visitor broke off", exc_info=True)
        finally:
            client.intended_us = None
            client.cookies.clear()
            self._idle.append(client)

    def _new_client(self) -> BalancerHttpSession:
        host: Any = self.host
        return BalancerHttpSession(host, self.environment.events.request, self, settings_of(type(self), host))
