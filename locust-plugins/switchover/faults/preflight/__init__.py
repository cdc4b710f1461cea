"""The checks before a fault may fire: nodes as the target file says, a proven survivor, a pair that is free."""
