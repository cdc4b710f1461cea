"""Compare runs, or folders of repeated runs."""
