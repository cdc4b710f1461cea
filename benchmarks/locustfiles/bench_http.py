"""HttpUser, as fast as it goes."""

from locust import HttpUser, task


class Http(HttpUser):
    @task
    def get(self) -> None:
        self.client.get("/")
