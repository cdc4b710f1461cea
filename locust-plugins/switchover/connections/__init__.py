"""Held connections: connections of many kinds that stay open, in a separate process alongside the prober.

Each kind has its own schedule and never resends. A loss is recorded with its place and its end.

* `spec.py`: the settings.
* `parent.py`: the parent's side, `HeldLoad`. It starts the process, reports changes and ends it.
* `process.py`: the process, and all kinds by name.
* `slot.py`: one place of a kind, and the lateness of this process.
* `pooled.py`: the kinds `pooled` and `idle`.
* `download.py`: the kinds `download` and `upload`.
* `sse.py`, `websocket.py`, `tcp.py`, `h2.py`: one kind each.
* `numbered.py`: the common part of `websocket` and `tcp`.
* `connection.py`: one connection.
* `exchange.py`: one request or message.
* `records.py`: the rows, and the changes from the parent.
* `retrying_client.py`: `pooled` with a client that retries.
"""
