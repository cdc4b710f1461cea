"""The load that feels a change: connections of many kinds kept open, in a process of its own beside the prober.

Each kind has a schedule of its own and never resends: what is lost is told, with where and by what it ended.

    spec.py          what to keep open, and how it travels to the process
    parent.py        starts the process, tells it of changes, ends it: `HeldLoad`
    process.py       the process
    run_places.py    all kinds by name; each has a file of its own: pooled.py, idle.py, download.py, upload.py,
                     sse.py, websocket.py, tcp.py, h2.py (post_requests.py and numbered.py: what two of them share)
    slot.py          one place of a kind, in which a connection is kept open
    connection.py    one connection: bytes as they come, and how it ended
    exchange.py      what is known of one request or message
    records.py       the rows that stay
    retrying client.py          `pooled` again by a client that resends, a process of its own: `RetryingClient`
    heard_changes.py what the parent says of its changes
    lateness.py      how late this process itself was
"""
