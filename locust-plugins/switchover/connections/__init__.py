"""The load that feels a change: connections of many kinds kept open, in a process of its own beside the prober.

Each kind has a schedule of its own and never resends: what is lost is told, with where and by what it ended.

    spec.py          what to keep open, and how it travels to the process
    parent.py        starts the process, tells it of changes, ends it: `HeldLoad`
    process.py       the process, and all kinds by name
    slot.py          one place of a kind, in which a connection is kept open, and how late this process was
                     the kinds: pooled.py (and idle), download.py (and upload), sse.py, websocket.py, tcp.py, h2.py
                     (numbered.py: what two of them share)
    connection.py    one connection: bytes as they come, and how it ended
    exchange.py      what is known of one request or message
    records.py       the rows that stay, and what the parent says of its changes
    retrying_client.py  `pooled` again by a client that resends, a process of its own: `RetryingClient`
"""
