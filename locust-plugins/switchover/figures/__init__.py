"""Figures of a run: pure functions over its evidence. `docs/measurement.md` has their definitions."""
