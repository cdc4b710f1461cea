"""BalancerHttpUser at a rate that is set for all users together."""

import os
import random

import gevent
from locust import constant_throughput, task

from switchover.locust import BalancerHttpUser

RATE, USERS = float(os.environ["BENCHMARK_RATE"]), int(os.environ["BENCHMARK_USERS"])


class Steady(BalancerHttpUser):
    wait_time = constant_throughput(RATE / USERS)

    def on_start(self) -> None:
        gevent.sleep(random.uniform(0, USERS / RATE))

    @task
    def get(self) -> None:
        self.client.get("/")
