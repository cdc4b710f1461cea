"""A shop that visitors browse, search and buy in: an ordinary Locust test with one import more.

    switchover drill --plan testplans/locust/shop.py --users 50

Without Switchover's command, against any host:

    locust --headless --users 50 --run-time 1m --host http://198.18.0.50 -f testplans/locust/shop.py
"""

import random

from locust import FastHttpUser, between, task

import switchover.locust  # noqa: F401  who answered each request, and through which balancer

PRODUCTS = 500


class Visitor(FastHttpUser):
    """Fifty of them make about 200 requests a second."""

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
                answer.failure("the search found nothing, not even a page")

    @task(1)
    def buy(self) -> None:
        self.client.get("/cart", name="cart")
        self.client.get("/checkout", name="checkout")
