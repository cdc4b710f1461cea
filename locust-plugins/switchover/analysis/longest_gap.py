"""For how long a load had no good answer: what its users felt of an outage, whatever the probes say."""

from collections.abc import Iterable
from dataclasses import dataclass

from switchover.samples import Sample


@dataclass(frozen=True, slots=True)
class AnswerGap:
    """From one good answer to the next, in microseconds."""

    from_us: int
    to_us: int

    @property
    def duration_us(self) -> int:
        return self.to_us - self.from_us


def longest_gap(samples: Iterable[Sample], since_us: int, until_us: int) -> AnswerGap | None:
    """The longest stretch without a good answer that ends after `since_us`, up to `until_us`.

    None where no good answer came before: then nothing says that there ever was a service. With few users the usual
    time between two answers is such a gap, too.
    """
    ends = sorted(sample.end_us for sample in samples if sample.success and sample.end_us <= until_us)
    longest: AnswerGap | None = None
    before: int | None = None
    for end_us in [*ends, until_us]:
        if before is not None and end_us > since_us and (longest is None or end_us - before > longest.duration_us):
            longest = AnswerGap(before, end_us)
        before = end_us
    return longest
