"""Predict, from configuration files, the outage after a fault, and the effect of a reload on connections."""
