"""Compute the figures of a run from its evidence, with pure functions. `docs/measurement.md` defines the figures."""
