"""What was recorded, counted: the traffic of each second, and the totals."""

from collections.abc import Sequence

from switchover.identity import OTHER, clean
from switchover.sample_rows import RowPattern
from switchover.samples import Sample
from switchover.traffic import Traffic

MEASUREMENT = "switchover_requests"
GENERATOR = "locust"
LABELS_LIMIT = 1000
"""Distinct labels in the traffic; the rest are `other`. The sample log has them all."""
KEEP_S = 30
"""Seconds that a bucket waits for samples whose with-block is still open; what comes later counts in the oldest."""


class Kind(RowPattern):
    """Good samples alike in request and answer, and what is to be counted of those of one second."""

    __slots__ = ("late_series", "latencies_us", "nbytes", "resends", "second", "series")

    def __init__(self, sample: Sample, series: str, late_series: str) -> None:
        super().__init__(sample)
        self.series, self.late_series = series, late_series
        self.resends = max(0, sample.attempts - 1)
        self.second = -1
        self.latencies_us: list[int] = []
        self.nbytes = 0


KindRow = tuple[Kind, str, int, int, int, int, int, int, str, str]
"""A `Row` of a `Kind`."""


class Tally:
    """Counts every sample once, in the second of its end. Not thread-safe."""

    def __init__(self, run: str, worker: str, late_us: int) -> None:
        self._traffic = Traffic(MEASUREMENT, run, worker, keep_s=KEEP_S)
        self._late_us = late_us
        self._labels: set[str] = set()
        self.samples = self.failed = self.late = self.resends = 0
        self.labels_overflowed = False
        """A label was replaced by `other`."""

    def kind(self, sample: Sample) -> Kind:
        """The kind of a good sample."""
        return Kind(sample, self._series(sample, "ok"), self._series(sample, "late"))

    def add(self, sample: Sample) -> None:
        took_us = sample.end_us - sample.start_us
        outcome = "failed" if not sample.success else "late" if took_us > self._late_us else "ok"
        self.samples += 1
        self.failed += outcome == "failed"
        self.late += outcome == "late"
        self.resends += max(0, sample.attempts - 1)
        self._add(self._series(sample, outcome), sample.end_us // 1_000_000, [took_us], sample.nbytes)

    def add_rows(self, rows: Sequence[KindRow]) -> None:
        """Count samples of kinds: those of a kind and second together."""
        late_us = self._late_us
        touched = []
        for kind, _, start_us, took_us, _, _, nbytes, _, _, _ in rows:
            second = (start_us + took_us) // 1_000_000
            if took_us > late_us:
                self.late += 1
                self.resends += kind.resends
                self._add(kind.late_series, second, [took_us], nbytes)
                continue
            if second != kind.second:
                self._add_kind(kind)
                kind.second = second
                touched.append(kind)
            kind.latencies_us.append(took_us)
            kind.nbytes += nbytes
        for kind in touched:
            self._add_kind(kind)
        self.samples += len(rows)

    def take_points(self, before_us: int) -> list[str]:
        """The lines of the seconds that ended before this, which were not taken yet, or not with this total."""
        return self._traffic.flush(before_us)

    def _add_kind(self, kind: Kind) -> None:
        if kind.latencies_us:
            self.resends += kind.resends * len(kind.latencies_us)
            self._add(kind.series, kind.second, kind.latencies_us, kind.nbytes)
            kind.latencies_us = []
            kind.nbytes = 0
        kind.second = -1

    def _add(self, series: str, second: int, latencies_us: Sequence[int], nbytes: int) -> None:
        self._traffic.add_all(series, max(second, self._traffic.open_from_s), latencies_us, nbytes)

    def _series(self, sample: Sample, outcome: str) -> str:
        return self._traffic.series(
            {
                "generator": GENERATOR,
                "label": self._admit(sample.label),
                "backend": sample.identity.backend,
                "balancer": sample.identity.balancer,
                "answered_by": sample.identity.answered_by,
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
