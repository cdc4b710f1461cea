"""Two runs, or two groups of runs, side by side."""
