"""The load of a drill, in addition to the probes: users who wait for each response before the next request."""
