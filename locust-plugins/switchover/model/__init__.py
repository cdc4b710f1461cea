"""The common terms of all packages: errors, clock, units, identity, outcome."""
