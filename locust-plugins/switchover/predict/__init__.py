"""Predictions from theory and configurations: the outage windows of a Keepalived pair, and the connections that a
reload keeps."""
