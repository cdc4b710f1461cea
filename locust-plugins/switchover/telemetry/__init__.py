"""Read the state of the nodes: one reader per kind of source, with limits on time and size.

`fetch.py`: one request to a socket, a page or a command, and its answer. `fifo.py`: lines of a Keepalived notify
FIFO. `haproxy.py exporters.py processes.py access_log.py clock_offset.py address_list.py`: parsers of the sources'
answers. `keepalived.py`: the lines of the notify FIFO, and the current owner of the address. `ownership.py`: the
ownership sources, FIFO and `ip monitor`. `scrapers.py`: one scrape of a source as points. `collector.py`: one thread
per source, which reads the source on a schedule and writes to the journal. `master.py`: the current owner of the
address.
"""
