"""Faults of a load balancer pair, and the safeguards that undo them."""
