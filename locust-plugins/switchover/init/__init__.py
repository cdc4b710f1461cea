"""Discovery of a pair over ssh: read-only surveys of the nodes, and the target file for the pair."""
