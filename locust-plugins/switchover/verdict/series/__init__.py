"""Chart data of a run: series.json."""
