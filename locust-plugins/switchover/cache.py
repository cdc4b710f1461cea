"""What was read once is neither read nor held again: a million samples have few distinct labels, sizes and names."""

from collections.abc import Callable
from typing import TypeVar

LIMIT = 20_000
"""Some have a URL or a size of its own each: then what is kept is of no use, and is let go."""

Key = TypeVar("Key")
Value = TypeVar("Value")


class Cache(dict[Key, Value]):
    """`cache[key]` is `read(key)`, and mostly the one that was made before."""

    def __init__(self, read: Callable[[Key], Value]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, key: Key) -> Value:
        if len(self) >= LIMIT:
            self.clear()
        value = self[key] = self._read(key)
        return value
