"""Repeated drills of one fault together."""
