"""The target file: a description of the system under test, and of the sources of its telemetry."""
