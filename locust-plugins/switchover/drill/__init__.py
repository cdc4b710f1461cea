"""One measured run with one fault."""
