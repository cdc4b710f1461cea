"""Visitors who come on a schedule and do not know that the shop is closed: an open loop, as the world's traffic is.

    switchover drill --plan testplans/locust/open_loop.py --users 4

Each user is a stream of 50 visitors a second, so four make 200. While no answer comes they go on coming, and each of
them fails: the failed samples count the outage, as the prober's probes do. In a closed loop the same outage costs
as many failures as the client happens to be refused.
"""

from switchover.locust import OpenLoopUser
from switchover.locust.user.session import BalancerHttpSession


class Visitors(OpenLoopUser):
    rate = 50
    timeout_connect = 0.25
    timeout_read = 1.0

    def visit(self, client: BalancerHttpSession) -> None:
        client.get("/", name="home")
