"""Programs that run on the hosts of the lab."""
