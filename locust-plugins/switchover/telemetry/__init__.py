"""What the nodes say about themselves: one reader per kind of source, all bounded in time and size.

Wires: `transport` (one question, one answer), `command` (run to its end), `stream` and `fifo` (speak whenever
something happens), `orphan_guard` (no command outlives us). Meanings: `haproxy`, `nginx`, `process`, `access_log`,
`keepalived`, `clocks`, `neighbour`. On top: `collector` (one thread per source, into the journal) and `master`
(who holds the address now).
"""
