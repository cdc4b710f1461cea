"""Scripts that run on a node and need only the standard library."""
