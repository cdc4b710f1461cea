"""Plans that come with the package. Locust and JMeter load them by their paths; nothing here imports them."""
