"""What can be done to a load balancer pair on purpose, and what keeps that harmless."""
