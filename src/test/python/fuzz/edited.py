"""A good JSON document, with values changed as bytes say. Where its own bytes are changed it is hardly ever JSON."""

import copy
from collections.abc import Iterator
from typing import Any

_GONE = object()
_OTHERS: tuple[Any, ...] = (
    *(_GONE, None, True, False, -1, 0, 1, 10**30, 0.5, -1e308, float("nan"), float("inf")),
    *("", "x", "a\x1b[2J\n", "é" * 300, "2026-01-01T00:00:00Z", [], [None], [[]], {}, {"": None}, {"name": 1}),
)
_CHANGE = 3
"""Bytes of a change: two say where, one says what."""


def edited(document: Any, changes: bytes) -> Any:
    found = copy.deepcopy(document)
    for at in range(0, len(changes) - _CHANGE + 1, _CHANGE):
        places = list(_places(found))
        if not places:
            break
        container, key = places[int.from_bytes(changes[at : at + 2], "big") % len(places)]
        other = _OTHERS[changes[at + 2] % len(_OTHERS)]
        if other is _GONE:
            del container[key]
        else:
            container[key] = copy.deepcopy(other)
    return found


def _places(values: Any) -> Iterator[tuple[Any, Any]]:
    """Every container with each of its keys, as deep as it goes."""
    for key, value in values.items() if isinstance(values, dict) else enumerate(values):
        yield values, key
        if isinstance(value, dict | list):
            yield from _places(value)
