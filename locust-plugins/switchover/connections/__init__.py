"""Held connections: a separate process that keeps connections of several kinds open during changes.

Each kind of connection has a separate schedule and never repeats a request. The row of a lost request records the
position of the loss, and how the connection ended.
"""
