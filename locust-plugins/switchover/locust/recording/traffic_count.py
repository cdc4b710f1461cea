"""The traffic of each second, and how many samples it counts."""

from collections.abc import Sequence

from switchover.model.identity import OTHER, Identity, clean
from switchover.model.outcome import Outcome, decide_outcome, latency_us
from switchover.rundir.measurements import REQUESTS
from switchover.rundir.sample_log import Sample
from switchover.rundir.traffic import Traffic

GENERATOR = "locust"
LABELS_LIMIT = 1000
"""Distinct labels in the traffic; the rest are `other`. The sample log has them all."""
KEEP_S = 30
"""Seconds for which a bucket waits for samples with an open with-block; a later one counts in the oldest bucket."""


class TrafficCounter:
    """Counts every sample once, in the second of its end. Not thread-safe."""

    def __init__(self, run: str, worker: str, late_us: int) -> None:
        self._traffic = Traffic(REQUESTS, run, worker, keep_s=KEEP_S)
        self._late_us = late_us
        self._labels: set[str] = set()
        self.samples = 0
        self.labels_overflowed = False

    def add(self, sample: Sample) -> None:
        waited_us = latency_us(sample.start_us, sample.end_us, sample.intended_us)
        outcome = decide_outcome(sample.error, sample.success, waited_us, self._late_us)
        series = self.series(sample.label, sample.identity, outcome)
        self.add_all(series, sample.end_us, [waited_us], sample.nbytes)

    def add_all(self, series: str, end_us: int, waited_us: Sequence[int], nbytes: int) -> None:
        """Count samples that ended in one second. `waited_us`: since each was due."""
        self.samples += len(waited_us)
        second = max(end_us // 1_000_000, self._traffic.open_from_s)
        self._traffic.add_all(series, second, waited_us, nbytes)

    def take_points(self, before_us: int) -> list[str]:
        """The lines of the seconds that ended before this, which were not taken yet, or not with this total."""
        return self._traffic.flush(before_us)

    def series(self, label: str, identity: Identity, outcome: Outcome) -> str:
        return self._traffic.series(
            {
                "generator": GENERATOR,
                "label": self._admit(label),
                "backend": identity.backend,
                "balancer": identity.balancer,
                "answered_by": identity.answered_by,
                "outcome": outcome,
            }
        )

    def _admit(self, label: str) -> str:
        name = clean(label)
        if name not in self._labels:
            if len(self._labels) >= LABELS_LIMIT:
                self.labels_overflowed = True
                return OTHER
            self._labels.add(name)
        return name
