"""Switchover: load tests that measure the failover of load balancers."""

__version__ = "0.1.0"
