"""Export the points of a run as metrics. Prometheus scrapes the metrics, or they are pushed with OTLP.

A separate process reads the points from the journals during the run, so the load never waits.
"""
