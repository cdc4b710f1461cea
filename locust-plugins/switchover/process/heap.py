"""How our processes hold memory in C: all their threads together, and nothing in reserve for each.

glibc keeps a heap for each of the first threads (eight for each core), and of freed pieces up to seven of each of 64
sizes for each thread. With the 27 threads of a controller these fill for hours, by some megabytes; and since Python's
threads take turns, they gain nothing by it.
https://www.gnu.org/software/libc/manual/html_node/Memory-Allocation-Tunables.html
"""

import os

_NAME = "GLIBC_TUNABLES"
_VALUE = "glibc.malloc.arena_max=1:glibc.malloc.tcache_count=0"


def one_heap() -> dict[str, str]:
    """The environment for a process that is to hold memory so; empty where somebody chose tunables of their own."""
    return {} if _NAME in os.environ else {_NAME: _VALUE}


def keep_from_commands() -> None:
    """It was read when this process began; a balancer that a target's command starts must not inherit it."""
    if os.environ.get(_NAME) == _VALUE:
        del os.environ[_NAME]
