"""Tables of facts that both languages read."""

from pathlib import Path

FOLDER = Path(__file__).parent


def read_table(name: str) -> str:
    """Return the text of a table file of this package."""
    return (FOLDER / name).read_text(encoding="utf-8")
