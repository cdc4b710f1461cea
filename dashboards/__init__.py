"""Grafana dashboards as code. `python -m dashboards` writes the JSON files in this folder, which Grafana reads.

The queries are in InfluxQL, the only query language that InfluxDB 1, 2 and 3 support. One dashboard uses PromQL.
"""
