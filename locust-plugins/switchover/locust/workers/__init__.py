"""Runs with several processes: a master and its workers."""
