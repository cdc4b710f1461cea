"""Compare the client's request counts with HAProxy's counters and with access logs."""
