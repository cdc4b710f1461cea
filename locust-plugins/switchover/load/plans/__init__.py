"""The default plans. Locust and JMeter load these plans by path; no module imports them."""
