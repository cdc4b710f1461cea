"""What can be done to a load balancer pair on purpose: one file per mechanism, and what keeps them harmless."""
