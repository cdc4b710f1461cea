"""What the nodes say about themselves: one reader per kind of source, all bounded in time and size.

fetch.py        one question, one answer, from a socket, a page or a command
fifo.py         lines of a Keepalived notify FIFO
haproxy.py nginx.py exporters.py processes.py access_log.py clock_offset.py address_list.py
                what a source's answer means
keepalived.py   notify lines, and the journal of who held the address
ownership.py    the sources: FIFO and `ip monitor`
scrapers.py     sources as points
collector.py    one thread per source, on a schedule, into the journal
master.py       who holds the address now
"""
