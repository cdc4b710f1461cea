"""Tables that both languages read: facts that are data, not code."""

from pathlib import Path


def read_table(name: str) -> str:
    """Return the text of a table in this package."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
