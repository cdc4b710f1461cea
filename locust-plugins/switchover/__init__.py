"""Load tests that know there is a load balancer in between."""

__version__ = "0.1.0"
