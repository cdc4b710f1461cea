"""Millions of requests as tables of a DuckDB database, which the figures query with SQL."""
