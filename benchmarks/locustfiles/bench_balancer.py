"""BalancerHttpUser, as fast as it goes."""

from locust import task

from switchover.locust import BalancerHttpUser


class Balancer(BalancerHttpUser):
    @task
    def get(self) -> None:
        self.client.get("/")
