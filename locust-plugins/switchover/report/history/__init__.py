"""List and compare many runs, as described by their verdict.json files."""
