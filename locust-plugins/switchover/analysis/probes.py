"""The metronome's probes as the outage sees them: when sent, when over, how."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from switchover.analysis.latency import nearest_rank
from switchover.analysis.outcome import Outcome, outcome_of
from switchover.rundir import Run
from switchover.samples import Sample

USUAL_PERCENT = 99
"""The share of good answers before the fault that took no longer than the usual time to answer."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One request on a fixed schedule, as far as the outage needs it."""

    start_us: int
    end_us: int
    outcome: Outcome

    @property
    def impaired(self) -> bool:
        return self.outcome is Outcome.FAILED or self.outcome is Outcome.LATE


def is_probed(run: Run) -> bool:
    """False where there was no metronome, on purpose: then nobody claims an outage, and nobody denies one."""
    return run.settings.get("probe_rate") != 0


def probes_of(samples: Iterable[Sample], late_us: int, *, stream: str = "fresh") -> list[Probe]:
    """The probes of one stream in the order in which they were sent, less those that the client could not send."""
    probes = [
        Probe(sample.start_us, sample.end_us, outcome)
        for sample in samples
        if sample.stream == stream and (outcome := outcome_of(sample, late_us)) is not Outcome.GENERATOR
    ]
    return in_send_order(probes)


def in_send_order(probes: Iterable[Probe]) -> list[Probe]:
    return sorted(probes, key=lambda probe: (probe.start_us, probe.end_us))


def usual_us(probes: Sequence[Probe], before_us: int) -> int | None:
    """What an answer usually took: the 99th percentile (nearest rank) of the good ones that came before a time."""
    times = sorted(
        probe.end_us - probe.start_us
        for probe in probes
        if probe.outcome is Outcome.GOOD and probe.end_us <= before_us
    )
    return nearest_rank(times, USUAL_PERCENT) if times else None
