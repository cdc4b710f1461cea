"""Bytes from anybody, led by what they reach in the readers: `python -m fuzz`."""
