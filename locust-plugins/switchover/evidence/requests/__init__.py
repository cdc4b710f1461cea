"""Requests by the million: tables of a DuckDB database, of which the figures ask in SQL.

store.py          the database: in memory, and in temporary files where it does not fit
table.py          one population (the samples, or the probes) as a table
columns.py        what a row of a sample log means, in SQL
files.py          the forms of a log: text, compressed
jtl.py            JMeter's CSV: its delimiter, its header or `--columns`, its rows as texts
stamps.py         what its times are
reader.py         a file into a table
"""
