"""The default plans. Locust and JMeter load them by path; no module imports them."""
