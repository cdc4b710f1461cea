"""Read the state of the nodes: one reader per kind of source, with limits on time and size."""
