"""Predict from configurations the outage of a fault, and the effect of a reload on connections."""
