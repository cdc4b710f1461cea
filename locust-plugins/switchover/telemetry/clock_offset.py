"""Measure the offset of a node's clock. The node's time is compared with the middle between sending and receiving, so
the error bound is half of the round trip. The measurement with the smallest error bound is used."""

import re
from dataclasses import asdict, dataclass
from typing import Any

from switchover.model.clock import Clock
from switchover.model.errors import TelemetryError
from switchover.process.command import Deadline
from switchover.rundir.run_records import ClockReading
from switchover.target.model import Node, Target
from switchover.target.telemetry_sources import Command
from switchover.telemetry.fetch import QUERY_S, ask_all, fetch

TRIES = 5
"""The maximum number of measurements. After `QUERY_S` seconds, no further measurement is started."""
_SECONDS = re.compile(rb"\s*(\d{9,11})\.(\d{9})\s*")
_LIMIT_BYTES = 4096


@dataclass(frozen=True, slots=True)
class ClockOffset:
    """The time by which a node's clock is ahead of the run's clock: `offset_us`, with an error of at most
    `bound_us`."""

    offset_us: int
    bound_us: int


def measure_offset(node: Node, clock: Clock) -> ClockOffset | None:
    """Measure the offset of the node's clock. None: the target file has no command that reads this clock. Raises
    TelemetryError only if every measurement failed."""
    if node.shared_clock:
        return ClockOffset(0, 0)
    if node.clock is None:
        return None
    offsets: list[ClockOffset] = []
    deadline = Deadline(QUERY_S)
    for number in range(1, TRIES + 1):
        try:
            offsets.append(_one_try(node.clock, clock))
        except TelemetryError:
            if not offsets and (number == TRIES or deadline.passed):
                raise
        if deadline.passed:
            break
    return min(offsets, key=lambda offset: offset.bound_us)


def measure_offsets(target: Target, clock: Clock, *, when: str) -> list[ClockReading]:
    """Return the offsets of all nodes, in the form of run.json. An unknown offset is null."""
    readings = ask_all(lambda node: _read_offset(node, clock, when), target.nodes)
    return [reading for reading in readings if reading is not None]


def _read_offset(node: Node, clock: Clock, when: str) -> ClockReading | None:
    reading: dict[str, Any] = {"node": node.name, "when": when, "offset_us": None, "bound_us": None}
    try:
        offset = measure_offset(node, clock)
    except TelemetryError as error:
        return ClockReading.of(reading | {"error": str(error)})
    return None if offset is None else ClockReading.of(reading | asdict(offset))


def _one_try(source: Command, clock: Clock) -> ClockOffset:
    sent_ns = clock.now_ns()
    answer = fetch(source, None, QUERY_S, _LIMIT_BYTES)
    received_ns = clock.now_ns()
    match = _SECONDS.fullmatch(answer)
    if match is None:
        raise TelemetryError(f"`{source}` printed {answer[:40]!r}, not seconds.nanoseconds as `date +%s.%N` does")
    node_ns = int(match[1]) * 1_000_000_000 + int(match[2])
    low, high = node_ns - received_ns, node_ns - sent_ns
    return ClockOffset((low + high) // 2000, -(-(high - low) // 2000))
