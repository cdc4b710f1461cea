"""Sample logs of any load generator as a run of a load alone, without probes and without a fault."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from switchover.analysis.requests.files import text_bytes
from switchover.analysis.requests.identity_from import IdentityFrom
from switchover.analysis.requests.reader import read_logs
from switchover.analysis.requests.store import Store
from switchover.analysis.requests.table import TYPES, Requests
from switchover.analysis.run_data import RunData, count_lost_rows
from switchover.model.errors import RunDirectoryError
from switchover.rundir.damaged_lines import Ignored
from switchover.rundir.run_directory import Plan, Run

JUMP_US = 1_000_000
"""A line that ended this much before one above it: a load generator writes a line when its sample has ended."""
PIECE = 1_000_000
"""Rows that are looked at together."""


@dataclass(frozen=True, slots=True)
class Jump:
    """Where a log goes back in time."""

    at_us: int
    back_us: int

    def __str__(self) -> str:
        at = datetime.fromtimestamp(self.at_us / 1e6, UTC)
        return (
            f"the times go back by {self.back_us / 1e6:.1f} s at {at:%Y-%m-%d %H:%M:%S} UTC: the clock was set, or "
            "lines of another host came late; what was counted around it by time may be wrong"
        )


def load_logs(
    paths: Sequence[Path], identity_from: IdentityFrom | None = None, columns: Collection[str] = tuple(TYPES)
) -> RunData:
    """Several logs are one run. `columns`: what of each request will be asked for."""
    absent = next((path for path in paths if not path.is_file()), None)
    if absent is not None:
        raise RunDirectoryError(f"cannot read {absent}: no such file")
    ignored = Ignored()
    samples = read_logs(Store(text_bytes(paths)), "sample_rows", paths, ignored, identity_from, columns)
    if not samples:
        why = f": {ignored}" if ignored.total else ""
        raise RunDirectoryError(f"{paths[0]} has no sample that could be read{why}")
    start_us, end_us = samples.row("SELECT min(start_us), max(end_us) FROM {requests}")
    name = paths[0].name if len(paths) == 1 else f"{paths[0].name} and {len(paths) - 1} more"
    # Without a fault all of it is one baseline.
    run = Run(id=name, name=name, settings={"probe_rate": 0.0}, plan=Plan(start_us=start_us, end_us=end_us + 1))
    if ignored.total:
        run.warnings.append(f"{ignored.total:,} lines could not be read: {ignored}")
    run.warnings += [str(jump) for jump in jumps_of(samples)]
    return RunData(run=run, samples=samples, unread={"samples": count_lost_rows(ignored)})


def jumps_of(samples: Requests) -> list[Jump]:
    """Of each log the farthest way back. A table is read in the order in which it was written."""
    found: dict[int, Jump] = {}
    latest: dict[int, int] = {}
    (rows,) = samples.row("SELECT max(rowid) FROM {requests}")
    for first in range(0, (rows or 0) + 1, PIECE):
        # The row of a transaction has no code, and leaves its timers out of what it took.
        chosen = f"rowid >= {first} AND rowid < {first + PIECE} AND code <> ''"
        piece = samples.arrays(f"SELECT part, end_us FROM {{requests}} WHERE {chosen}")
        for part in np.unique(piece["part"]).tolist():
            ends = piece["end_us"][piece["part"] == part]
            before = np.maximum.accumulate(np.concatenate([[latest.get(part, ends[0])], ends]))
            back = before[:-1] - ends
            place = int(np.argmax(back))
            if back[place] > max(JUMP_US, found[part].back_us if part in found else 0):
                found[part] = Jump(int(ends[place]), int(back[place]))
            latest[part] = int(before[-1])
    return list(found.values())
