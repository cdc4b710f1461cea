"""Read the time of the kill on the node's clock: `between SECONDS and SECONDS` in the last output line of the kill
command. The lab's hosts import this file, so it needs only the standard library."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from switchover.model.clock import Clock
    from switchover.rundir.run_records import ClockReading
    from switchover.target.model import Node

_STAMP = re.compile(r"\bbetween (\d{9,11})\.(\d{1,9}) and (\d{9,11})\.(\d{1,9})(?!\d)", re.ASCII)


def format_kill_stamp(from_ns: int, to_ns: int) -> str:
    """Format the times before and after the signal of a kill, in ns of the node's wall clock, for
    `read_kill_stamp`."""
    low, high = (f"{at // 1_000_000_000}.{at % 1_000_000_000:09}" for at in (from_ns, to_ns))
    return f"between {low} and {high}"


def read_kill_stamp(line: str) -> tuple[int, int] | None:
    """Return the times before and after the signal of the kill, in ns of the node's wall clock. None: the line has no
    times."""
    match = _STAMP.search(line)
    if match is None:
        return None
    low, high = (int(match[at]) * 1_000_000_000 + int(match[at + 1].ljust(9, "0")) for at in (1, 3))
    return (low, high) if low <= high else None


def narrow_kill(
    fired_us: tuple[int, int], line: str, node: "Node", offsets: "Iterable[ClockReading]", clock: "Clock"
) -> tuple[int, int]:
    """Return the earliest and latest time of the kill on the run's clock: `fired_us`, narrowed by the node's times in
    `line`. `offsets`: the nodes' clock offsets in run.json. If the node has no offset, the interval is unchanged."""
    stamp = read_kill_stamp(line)
    if stamp is None:
        return fired_us
    if node.shared_clock:
        low, high = (clock.from_wall_ns(at_ns) // 1000 for at_ns in stamp)
    else:
        node_offsets = [(reading.offset_us, reading.bound_us) for reading in offsets if reading.node == node.name]
        offset_us, bound_us = next((reading for reading in node_offsets if reading[0] is not None), (None, None))
        if offset_us is None or bound_us is None:
            return fired_us
        low, high = stamp[0] // 1000 - offset_us - bound_us, stamp[1] // 1000 - offset_us + bound_us
    from_us, to_us = max(fired_us[0], low), min(fired_us[1], high + 1)
    return (from_us, to_us) if from_us <= to_us else fired_us
