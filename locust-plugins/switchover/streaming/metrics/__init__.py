"""A run's points as metrics: read from its journals while it goes on, served to Prometheus, pushed by OTLP.

As with InfluxDB the journals come first: a process of its own reads them, so no request of the load ever waits.
"""
