"""FastHttpUser at a rate that is set for all users together: so many more users make no more requests."""

import os
import random

import gevent
from locust import FastHttpUser, constant_throughput, task

RATE, USERS = float(os.environ["BENCHMARK_RATE"]), int(os.environ["BENCHMARK_USERS"])


class Steady(FastHttpUser):
    wait_time = constant_throughput(RATE / USERS)

    def on_start(self) -> None:
        # Else all of them ask in the same moment, again and again.
        gevent.sleep(random.uniform(0, USERS / RATE))

    @task
    def get(self) -> None:
        self.client.get("/")
