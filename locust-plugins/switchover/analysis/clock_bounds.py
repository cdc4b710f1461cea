"""How well the nodes' clocks are known, over the whole run."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any


def clock_bounds(clocks: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """By node, in microseconds: the wider of its bounds before and after the run, and what it drifted in between.

    A node that could not be asked once, or names no way to read its clock, is not in it: nothing is known of it.
    """
    asked: defaultdict[str, list[tuple[object, object]]] = defaultdict(list)
    for clock in clocks:
        asked[str(clock.get("node"))].append((clock.get("offset_us"), clock.get("bound_us")))
    found = {}
    for node, answers in asked.items():
        offsets = [offset for offset, _ in answers if isinstance(offset, int)]
        bounds = [bound for _, bound in answers if isinstance(bound, int)]
        if len(offsets) == len(bounds) == len(answers):
            found[node] = max(bounds) + max(offsets) - min(offsets)
    return found
