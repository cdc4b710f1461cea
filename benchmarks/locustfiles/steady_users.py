"""Users at a rate that is set for all of them together: so many more users make no more requests."""

import os
import random
from typing import Any

import gevent
from locust import User, constant_throughput, task

RATE, USERS = float(os.environ["BENCHMARK_RATE"]), int(os.environ["BENCHMARK_USERS"])


class SteadyUser(User):
    abstract = True
    client: Any
    """That of the HTTP user which stands beside this class."""
    wait_time = constant_throughput(RATE / USERS)

    def on_start(self) -> None:
        # Else all of them ask in the same moment, again and again.
        gevent.sleep(random.uniform(0, USERS / RATE))

    @task
    def get(self) -> None:
        self.client.get("/")
