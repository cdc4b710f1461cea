"""A run's points as metrics, served to Prometheus and pushed with OTLP.

A separate process reads them from the journals during the run, so no request of the load ever waits.
"""
