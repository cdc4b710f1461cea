"""What every room speaks: errors, clock, units, who answered, what became of a request."""
