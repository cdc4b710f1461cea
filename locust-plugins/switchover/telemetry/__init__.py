"""Read the state of the nodes. Each kind of source has a reader, with limits on time and size."""
