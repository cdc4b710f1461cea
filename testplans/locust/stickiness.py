"""A test of session stickiness: each customer sends the balancer's cookie, and fails if another backend answers.

    switchover drill --sticky --plan testplans/locust/stickiness.py --users 30

With `--sticky`, the lab's HAProxy sets the cookie SRV. For your own pair, set the name of your cookie in the target
file: `sticky_cookie` in `[identity]`. If the backend of a customer changes, a sample fails with both names. The
verdict counts the sessions (the values of the cookie), and the sessions that moved although their backend was up. A
switchover of the balancer must move no session, because the cookie names the backend. `--fault backend-kill` must
move sessions.
"""

from locust import HttpUser, between, task

import switchover.locust  # noqa: F401  records the backend and the balancer of each response

BACKEND_HEADER = "X-Backend"


class Customer(HttpUser):
    """One session, like the session of a browser."""

    wait_time = between(0.2, 0.5)
    backend = ""

    @task
    def look_at_the_cart(self) -> None:
        with self.client.get("/cart", name="cart", timeout=(1, 3), catch_response=True) as answer:
            backend = answer.headers.get(BACKEND_HEADER, "") if answer.status_code == 200 else ""
            if backend and self.backend and backend != self.backend:
                answer.failure(f"moved from {self.backend} to {backend}")
            self.backend = backend or self.backend
