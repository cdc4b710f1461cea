"""Parsing of TOML."""

import tomllib
from collections.abc import Mapping
from typing import Any

_INT64 = range(-(2**63), 2**63)


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML as both languages do. Raises ValueError with one line."""
    try:
        values = tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("the nesting of brackets is too deep") from error
    _refuse_long_integers(values)
    return values


def _refuse_long_integers(value: Any) -> None:
    """Raise ValueError for integers beyond 64 bits (TOML 1.0.0, section Integer)."""
    if isinstance(value, int) and value not in _INT64:
        raise ValueError("a whole number is beyond 64 bits")
    for inner in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        _refuse_long_integers(inner)
