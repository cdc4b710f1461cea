"""A study: a matrix of loads in labs, repeated in random order, with published figures for comparison."""
