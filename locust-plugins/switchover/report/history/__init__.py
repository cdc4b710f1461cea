"""Compare many runs, using their verdict.json files."""
