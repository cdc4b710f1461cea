"""Export the points of a run as metrics. Prometheus scrapes the metrics, or they are pushed with OTLP."""
