"""Start, read and end child processes and commands."""
