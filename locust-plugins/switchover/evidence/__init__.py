"""Read a run directory, or the logs of other programs, into tables and points. This package judges nothing."""
