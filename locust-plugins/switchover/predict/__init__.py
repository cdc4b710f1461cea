"""Outage windows and reload promises, predicted from configurations."""
