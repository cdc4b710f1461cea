"""Client counts against HAProxy counters and access logs."""
