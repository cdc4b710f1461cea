"""From Locust's `request` events to the sample log and the traffic of each second."""
