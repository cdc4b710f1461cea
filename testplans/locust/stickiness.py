"""Does a visitor stay with its backend? Each keeps the balancer's cookie, and complains when somebody else answers.

    switchover drill --sticky --plan testplans/locust/stickiness.py --users 30

The lab's HAProxy sets the cookie SRV (`--sticky`); on a pair of your own name yours in the target file, as
`[identity] sticky_cookie`. A customer whose backend has changed is a failed sample that says so. The verdict counts
sessions, which are the values of the cookie, and those that moved although their backend was up: a switchover of the
balancer must move none, for its cookie names the backend (so in the lab there are as many as backends).
`--fault backend-kill` must move customers.
"""

from locust import HttpUser, between, task

import switchover.locust  # noqa: F401  who answered each request, and through which balancer

BACKEND_HEADER = "X-Backend"


class Customer(HttpUser):
    """One session, as a browser has it."""

    wait_time = between(0.2, 0.5)
    backend = ""

    @task
    def look_at_the_cart(self) -> None:
        with self.client.get("/cart", name="cart", timeout=(1, 3), catch_response=True) as answer:
            backend = answer.headers.get(BACKEND_HEADER, "") if answer.status_code == 200 else ""
            if backend and self.backend and backend != self.backend:
                answer.failure(f"moved from {self.backend} to {backend}")
            self.backend = backend or self.backend
