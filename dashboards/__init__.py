"""Grafana dashboards as code: `python -m dashboards` writes the JSON beside it that Grafana reads.

The queries are InfluxQL, the one language that InfluxDB 1, 2 and 3 answer; of one board PromQL.
"""
