"""The visitors of a shop: an ordinary Locust test with one additional import.

    switchover drill --plan testplans/locust/shop.py --users 50

Without `switchover drill`, with any host:

    locust --headless --users 50 --run-time 1m --host http://198.18.0.50 -f testplans/locust/shop.py
"""

import random

from locust import FastHttpUser, between, task

import switchover.locust  # noqa: F401  records the backend and the balancer of each response

PRODUCTS = 500


class Visitor(FastHttpUser):
    """One visitor; 50 visitors send about 200 requests per second."""

    wait_time = between(0.1, 0.4)
    connection_timeout = 2.0
    network_timeout = 5.0

    def on_start(self) -> None:
        self.client.get("/", name="home")

    @task(6)
    def browse(self) -> None:
        self.client.get(f"/product/{random.randrange(PRODUCTS)}", name="product")

    @task(3)
    def search(self) -> None:
        with self.client.get("/search?q=lamp", name="search", catch_response=True) as answer:
            if answer.status_code == 200 and not answer.content:
                answer.failure("the search returned an empty page")

    @task(1)
    def buy(self) -> None:
        self.client.get("/cart", name="cart")
        self.client.get("/checkout", name="checkout")
