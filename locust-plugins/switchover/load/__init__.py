"""The load of a drill in addition to the prober: users who wait for each response before the next request."""
