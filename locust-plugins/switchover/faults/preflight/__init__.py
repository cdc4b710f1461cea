"""The checks before a fault may fire: the nodes match the target file, a survivor is proven, and the pair is free."""
