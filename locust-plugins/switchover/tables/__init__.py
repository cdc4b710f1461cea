"""Tables of facts that both languages read."""

from pathlib import Path


def read_table(name: str) -> str:
    """Return the text of a table file of this package."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
