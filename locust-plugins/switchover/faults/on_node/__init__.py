"""Scripts that run on a node, by their path, with the standard library alone."""
