"""The target file: the system under test, and the sources of its telemetry."""
