"""A study: a matrix of loads in labs, repeated in random order, beside published figures."""
