"""A failover drill with clients that connect for every request, and clients that keep their connection.

    switchover drill --plan testplans/locust/failover.py --users 50

The clients fail for different reasons. A new connection fails while no node has the address. A kept connection also
fails when the client detects, perhaps much later, that its balancer is dead. The column `stream` of the sample log
distinguishes `fresh` from `kept`.
"""

from locust import between, task

from switchover.locust import BalancerHttpUser


class NewVisitor(BalancerHttpUser):
    """Opens a new connection for each request."""

    weight = 1
    connection = "fresh"
    wait_time = between(0.1, 0.4)
    timeout_connect = 0.5
    timeout_read = 2.0

    @task
    def look(self) -> None:
        self.client.get("/", name="home, fresh connection")


class RegularVisitor(BalancerHttpUser):
    """Keeps the connection to the balancer that was the master at the first request."""

    weight = 1
    connection = "kept"
    wait_time = between(0.1, 0.4)
    timeout_connect = 0.5
    timeout_read = 2.0

    @task(3)
    def browse(self) -> None:
        self.client.get("/product/42", name="product, kept connection")

    @task(1)
    def order(self) -> None:
        self.client.get("/checkout", name="checkout, kept connection")
