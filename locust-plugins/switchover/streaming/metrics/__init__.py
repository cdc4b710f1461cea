"""Export the points of a run as metrics, served to Prometheus and pushed with OTLP.

A separate process reads the points from the journals during the run, so the load never waits.
"""
