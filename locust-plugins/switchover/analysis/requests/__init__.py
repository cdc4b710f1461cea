"""Requests by the million: tables of a DuckDB database, of which the figures ask in SQL.

store.py      the database: in memory, and in temporary files where it does not fit
requests.py   one population (the samples, or the probes) as a table; a list of samples becomes one, too
meaning.py    what a row of a sample log means: the one place that says it
mending.py    what must be put right in a file before it can be read at full speed
reading.py    a file into a table
"""
