"""What the sample log calls a thread: a simulated user, by the greenlet that it runs in."""

import itertools
import re
from typing import Any

THREAD = "switchover_thread"
"""The attribute of a greenlet that holds its name as it stands in the sample log."""

_UNSAFE = re.compile(r'[,"\s]')
_numbers = itertools.count(1)


class UserThreads:
    """Numbers the users of this process in the order of their first requests."""

    def __init__(self, worker: str) -> None:
        self._prefix = _UNSAFE.sub("_", f"{worker}-") if worker else ""

    def name(self, greenlet: Any) -> str:
        """The same one for as long as the user lives; it needs no quotes."""
        name: str | None = getattr(greenlet, THREAD, None)
        if name is None:
            name = f"{self._prefix}user-{next(_numbers)}"
            setattr(greenlet, THREAD, name)
        return name
