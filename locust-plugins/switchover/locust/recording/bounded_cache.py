"""Caches of bounded size: names from a network or a test may be endless."""

from typing import Any, TypeVar

T = TypeVar("T")


def remember(cache: dict[Any, T], key: Any, value: T, limit: int) -> T:
    """Put the value into the cache, which begins anew when it is full."""
    if len(cache) >= limit:
        cache.clear()
    cache[key] = value
    return value
