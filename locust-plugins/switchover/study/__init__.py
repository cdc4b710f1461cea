"""A study: a matrix of labs and loads, repeated in random order, and published figures for comparison."""
