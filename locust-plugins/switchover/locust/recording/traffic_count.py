"""The traffic of each second, and the totals of a recording."""

from collections.abc import Sequence

from switchover.model.failure_kind import FailureKind
from switchover.model.identity import OTHER, Identity, clean
from switchover.rundir.sample_log import Sample
from switchover.rundir.traffic import Traffic

MEASUREMENT = "switchover_requests"
GENERATOR = "locust"
LABELS_LIMIT = 1000
"""Distinct labels in the traffic; the rest are `other`. The sample log has them all."""
KEEP_S = 30
"""Seconds for which a bucket waits for samples with an open with-block; a later one counts in the oldest bucket."""


class TrafficCounter:
    """Counts every sample once, in the second of its end. Not thread-safe."""

    def __init__(self, run: str, worker: str, late_us: int) -> None:
        self._traffic = Traffic(MEASUREMENT, run, worker, keep_s=KEEP_S)
        self._late_us = late_us
        self._labels: set[str] = set()
        self.samples = self.failed = self.late = self.resends = 0
        self.labels_overflowed = False
        """A label was replaced by `other`."""

    def add(self, sample: Sample) -> None:
        due_us = sample.start_us if sample.intended_us is None else sample.intended_us
        waited_us = sample.end_us - due_us
        late = sample.success and waited_us > self._late_us
        self.failed += not sample.success
        if sample.success:
            outcome = "late" if late else "ok"
        else:
            outcome = "generator" if sample.error is FailureKind.GENERATOR else "failed"
        series = self.series(sample.label, sample.identity, outcome)
        self.add_all(series, sample.end_us, [waited_us], sample.nbytes, max(0, sample.attempts - 1), late=late)

    def add_all(
        self, series: str, end_us: int, waited_us: Sequence[int], nbytes: int, resends: int, *, late: bool = False
    ) -> None:
        """Count samples that ended in one second. `waited_us`: since each was due; `resends`: of each."""
        self.samples += len(waited_us)
        self.resends += resends * len(waited_us)
        if late:
            self.late += len(waited_us)
        second = max(end_us // 1_000_000, self._traffic.open_from_s)
        self._traffic.add_all(series, second, waited_us, nbytes)

    def take_points(self, before_us: int) -> list[str]:
        """The lines of the seconds that ended before this, which were not taken yet, or not with this total."""
        return self._traffic.flush(before_us)

    def series(self, label: str, identity: Identity, outcome: str) -> str:
        """The name of a series of the traffic; `outcome`: ok, late, failed or generator."""
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
