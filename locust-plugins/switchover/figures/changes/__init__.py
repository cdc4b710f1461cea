"""Cost of the changes of a series."""
