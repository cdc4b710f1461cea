"""The chart data of a run (series.json)."""
