"""BalancerHttpUser at a rate."""

from steady_users import SteadyUser

from switchover.locust import BalancerHttpUser


class Steady(SteadyUser, BalancerHttpUser):
    pass
