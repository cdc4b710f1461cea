"""Read a run directory, or the logs of other programs, into tables and points. No verdict is made here."""
