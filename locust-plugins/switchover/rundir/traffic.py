"""Traffic per second: one point for all requests that ended in the same second and have the same tags."""

from collections import Counter
from collections.abc import Mapping, Sequence

from switchover.rundir.histogram import count_into, encode, percentiles_us
from switchover.rundir.points import FieldValue, format_fields, format_series

KEEP_S = 120
"""The seconds for which a bucket accepts late samples. JMeter holds samples back for up to 60 s."""
_SERIES_CACHE_LIMIT = 10_000


class _Bucket:
    """The requests of one second and one series; times in µs."""

    __slots__ = ("count", "counts", "dirty", "highest", "lowest", "nbytes", "total")

    def __init__(self) -> None:
        self.count = self.nbytes = self.total = self.highest = 0
        self.lowest = 1 << 62
        self.counts: Counter[int] = Counter()
        self.dirty = True

    def add(self, latencies_us: Sequence[int], nbytes: int) -> None:
        lowest = min(latencies_us)
        if lowest < 0:
            latencies_us, lowest = [max(0, latency_us) for latency_us in latencies_us], 0
        self.count += len(latencies_us)
        self.nbytes += nbytes
        self.total += sum(latencies_us)
        self.lowest = min(self.lowest, lowest)
        self.highest = max(self.highest, max(latencies_us))
        count_into(self.counts, latencies_us)
        self.dirty = True


class Traffic:
    """Counts requests in buckets: one bucket for all requests with the same tags that ended in the same second. Not
    thread-safe.

    A bucket is written after its second, and again with its full total if a late sample arrives. A bucket is dropped
    after `keep_s` seconds. `too_late` counts samples of dropped buckets.
    """

    def __init__(self, measurement: str, run: str, worker: str = "", keep_s: int = KEEP_S) -> None:
        self._measurement = measurement
        self._tags = {"run": run, "worker": worker}
        self._series: dict[tuple[tuple[str, str], ...], str] = {}
        self._seconds: dict[int, dict[str, _Bucket]] = {}
        self._dirty: set[int] = set()
        self._keep_s = keep_s
        self.open_from_s = 0
        """The oldest second that still accepts requests."""
        self.too_late = 0

    def add(self, end_us: int, latency_us: int, nbytes: int, tags: Mapping[str, str]) -> None:
        """Count one request. Tags with empty values are left out."""
        self.add_all(self.series(tags), end_us // 1_000_000, [latency_us], nbytes)

    def add_all(self, series: str, second: int, latencies_us: Sequence[int], nbytes: int) -> None:
        """Count requests of one series that ended in the same second. `nbytes`: the total number of bytes of these
        requests."""
        if second < self.open_from_s:
            self.too_late += len(latencies_us)
            return
        buckets = self._seconds.setdefault(second, {})
        bucket = buckets.get(series)
        if bucket is None:
            bucket = buckets[series] = _Bucket()
        bucket.add(latencies_us, nbytes)
        self._dirty.add(second)

    def series(self, tags: Mapping[str, str]) -> str:
        """Return the series with these tags, for `add_all`."""
        key = tuple(tags.items())
        series = self._series.get(key)
        if series is None:
            if len(self._series) >= _SERIES_CACHE_LIMIT:
                self._series.clear()
            series = self._series[key] = format_series(self._measurement, {**tags, **self._tags})
        return series

    def flush(self, before_us: int) -> list[str]:
        """Return the lines of all changed buckets that ended before `before_us`, sorted by time and series."""
        lines = []
        end_s = before_us // 1_000_000
        for second in sorted(second for second in self._dirty if second < end_s):
            self._dirty.discard(second)
            for series, bucket in sorted(self._seconds[second].items()):
                if bucket.dirty:
                    bucket.dirty = False
                    lines.append(f"{series} {format_fields(_fields(bucket))} {second * 1_000_000_000}")
        self.open_from_s = max(self.open_from_s, end_s - self._keep_s)
        for second in [second for second in self._seconds if second < self.open_from_s]:
            del self._seconds[second]
        return lines


def _fields(bucket: _Bucket) -> dict[str, FieldValue]:
    """Return the point's fields for one bucket, with times in ms. A percentile is never above the exact maximum
    of the bucket."""
    p50, p90, p95, p99 = (min(value, bucket.highest) for value in percentiles_us(bucket.counts, (50, 90, 95, 99)))
    return {
        "count": bucket.count,
        "bytes": bucket.nbytes,
        "rt_sum": bucket.total / 1000,
        "rt_min": bucket.lowest / 1000,
        "rt_max": bucket.highest / 1000,
        "p50": p50 / 1000,
        "p90": p90 / 1000,
        "p95": p95 / 1000,
        "p99": p99 / 1000,
        "hdr": encode(bucket.counts),
    }
