"""Read the state of the nodes: one reader per kind of source, with limits on time and size.

`fetch.py`: one request, one answer, from a socket, a page or a command.
`fifo.py`: lines of a Keepalived notify FIFO.
`haproxy.py exporters.py processes.py access_log.py clock_offset.py address_list.py`: parsers of answers.
`keepalived.py`: notify lines, and the record of the owners of the address.
`ownership.py`: the ownership sources, FIFO and `ip monitor`.
`scrapers.py`: one scrape of a source as points.
`collector.py`: one thread per source, which reads the source on a schedule and writes to the journal.
`master.py`: the current owner of the address.
"""
