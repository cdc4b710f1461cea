"""A study: a matrix of loads on labs, repeated in random order, beside the figures that others have published."""
