"""The target file: what is drilled, and how it is watched."""
