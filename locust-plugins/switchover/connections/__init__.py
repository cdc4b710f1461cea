"""Held connections: connections of many kinds that stay open, in a separate process beside the prober.

Each kind has its own schedule and never resends. A loss is recorded with its place and its end.

spec.py: the settings. parent.py: start the process, report changes, end it (`HeldLoad`). process.py: the
process, and all kinds by name. slot.py: one place of a kind, and the lateness of this process. The kinds:
pooled.py (and idle), download.py (and upload), sse.py, websocket.py, tcp.py, h2.py; numbered.py has what two of
them share. connection.py: one connection. exchange.py: one request or message. records.py: the rows, and the
changes from the parent. retrying_client.py: `pooled` by a client with retries.
"""
