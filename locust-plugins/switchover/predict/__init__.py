"""Predictions from theory and configurations: the outage windows of a Keepalived pair, and the effect of a reload on
connections."""
