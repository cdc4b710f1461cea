"""The checks before a fault is fired. The nodes must match the target file, another node must be able to serve, and
no other run may use the pair."""
