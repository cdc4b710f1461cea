"""The checks before a fault may fire."""
