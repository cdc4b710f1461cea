"""A drill: a measured run with one fault."""
