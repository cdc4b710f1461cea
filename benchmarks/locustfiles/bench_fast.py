"""FastHttpUser, as fast as it goes."""

from locust import FastHttpUser, task


class Fast(FastHttpUser):
    @task
    def get(self) -> None:
        self.client.get("/")
