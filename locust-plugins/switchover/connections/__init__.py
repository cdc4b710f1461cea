"""Held connections: a separate process that keeps connections of several kinds open during changes.

Each kind of connection has a separate schedule and never repeats a request. The row of a lost request records the
position of the loss, and how the connection ended.

* `spec.py`: the settings, and `HeldLoad`, with which the parent starts the process and reports changes to it.
* `process.py`: the process, and all kinds by name.
* `slot.py`: one slot, which keeps a connection open, and the lateness of this process.
* `transfers.py`: the kinds `pooled`, `idle`, `download` and `upload`.
* `sse.py`, `websocket.py`, `h2.py`: one kind each.
* `numbered.py`: the kind `tcp`, and the common part of `websocket` and `tcp`.
* `connection.py`: one connection.
* `records.py`: one request or message, the rows, and the changes from the parent.
* `retrying_client.py`: `pooled` with a client that retries.
"""
