"""Time series of a run: series.json, the data of all charts."""
