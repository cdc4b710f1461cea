"""The checks before a fault is fired: the nodes match the target file, a survivor is proved, and no other run uses
the pair."""
