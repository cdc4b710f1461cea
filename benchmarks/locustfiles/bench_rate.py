"""FastHttpUser at a rate."""

from locust import FastHttpUser
from steady_users import SteadyUser


class Steady(SteadyUser, FastHttpUser):
    pass
