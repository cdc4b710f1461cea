"""A failover drill with both kinds of clients: those that connect for every request, and those that stay connected.

    switchover drill --plan testplans/locust/failover.py --users 50

They fail for different reasons. A fresh connection fails while no node answers for the address; a kept one also when
it finds, perhaps long after, that its balancer is gone. The sample log tells them apart by its column `stream`.
"""

from locust import between, task

from switchover.locust import BalancerHttpUser


class NewVisitor(BalancerHttpUser):
    """Comes, asks once, and goes."""

    weight = 1
    connection = "fresh"
    wait_time = between(0.1, 0.4)
    timeout_connect = 0.5
    timeout_read = 2.0

    @task
    def look(self) -> None:
        self.client.get("/", name="home, fresh connection")


class RegularVisitor(BalancerHttpUser):
    """Stays connected to the balancer that was the master when it came."""

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
