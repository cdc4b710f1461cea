"""Held connections: a separate process that keeps connections of several kinds open during changes.

Each kind of connection has a separate schedule and never repeats a request. The row of a lost request contains the
position of the loss, and the end of the connection (`fin`, `rst` or a timeout).
"""
