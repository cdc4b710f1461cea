"""Predictions from theory and configurations: outage windows of a Keepalived pair, and the connections that a reload
keeps."""
