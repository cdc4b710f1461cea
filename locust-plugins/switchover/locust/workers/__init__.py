"""Runs over several processes: the master and its workers."""
