"""A study: a matrix of labs and loads. Each cell is repeated, in random order. The study file has published figures
for comparison."""
