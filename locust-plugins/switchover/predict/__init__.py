"""What theory and configurations predict: outage windows of a Keepalived pair, and what a reload keeps."""
