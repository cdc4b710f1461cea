"""Millions of requests as tables of a DuckDB database, which the figures query with SQL.

`store.py`: the database, in memory or in temporary files.
`table.py`: one population (the samples, or the probes) as a table.
`columns.py`: the meaning of a row of a sample log, in SQL.
`files.py`: the forms of a log, as text or compressed.
`jtl.py`: JMeter's CSV with its delimiter, its header or `--columns`, and its rows as texts.
`stamps.py`: the unit or the format of its times.
`no_requests.py`: rows that are no requests, and the order of rows.
`reader.py`: the reader of a file into a table.
"""
