"""Probes one by one, as tests write them, and as the columns that the analysis asks."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from switchover.figures.probes import Probes
from switchover.model.outcome import Outcome

OUTCOMES = (Outcome.GOOD, Outcome.LATE, Outcome.FAILED)


@dataclass(frozen=True, slots=True)
class Probe:
    start_us: int
    end_us: int
    outcome: Outcome

    @property
    def impaired(self) -> bool:
        return self.outcome is not Outcome.GOOD


def in_send_order(probes: Iterable[Probe]) -> Probes:
    rows = sorted(probes, key=lambda one: (one.start_us, one.end_us))
    starts, ends = (np.array([getattr(one, name) for one in rows], np.int64) for name in ("start_us", "end_us"))
    return Probes(starts, ends, ends, np.array([OUTCOMES.index(one.outcome) for one in rows], np.uint8))


def one_by_one(probes: Probes) -> list[Probe]:
    codes = np.where(probes.failed, 2, np.where(probes.late, 1, 0)).tolist()
    ends = zip(probes.starts.tolist(), probes.ends.tolist(), codes, strict=True)
    return [Probe(start_us, end_us, OUTCOMES[code]) for start_us, end_us, code in ends]
