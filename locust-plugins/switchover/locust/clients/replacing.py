"""Functions of other libraries, replaced by ours that call them."""

import functools
from collections.abc import Callable
from typing import Any

Hook = Callable[..., Any]


def replace(owner: Any, name: str, make: Callable[[Hook], Hook]) -> bool:
    """`owner.name` becomes `make(original)`; False if there is no such function to replace."""
    original = getattr(owner, name, None)
    if not callable(original):
        return False
    setattr(owner, name, functools.wraps(original)(make(original)))
    return True
