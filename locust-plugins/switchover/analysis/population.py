"""What was sent, failed and came late, in each phase of a run and in all of it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from switchover.analysis.latency import Latencies, Latency
from switchover.analysis.outcome import Outcome, outcome_of
from switchover.analysis.phases import Phase, PhaseName, phase_finder
from switchover.failure import FailureKind
from switchover.identity import AnsweredBy
from switchover.points import Point
from switchover.samples import Sample


@dataclass(frozen=True, slots=True)
class Counts:
    """Requests of one population (probes, or samples) in one phase, or in all of them."""

    total: int = 0
    """Those that the client could send."""
    failed: int = 0
    late: int = 0
    generator_errors: int = 0
    """Those that it could not: no port, no descriptor. They count nowhere else."""
    by_kind: Mapping[str, int] = field(default_factory=dict)
    by_answered_by: Mapping[str, int] = field(default_factory=dict)
    by_stream: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    rate: float | None = None
    """Requests a second over the length of the phase."""
    users: float | None = None
    """Mean number of users, where the load generator told."""
    latency: Latency | None = None

    @property
    def failed_share(self) -> float | None:
        return self.failed / self.total if self.total else None

    @property
    def late_share(self) -> float | None:
        return self.late / self.total if self.total else None


@dataclass(frozen=True, slots=True)
class Population:
    """The counts of all phases, and of each."""

    whole: Counts
    by_phase: Mapping[PhaseName, Counts]


class Tally:
    """Counts while it is shown one request after the other: a long run has millions of them."""

    def __init__(self, late_us: int) -> None:
        self._late_us = late_us
        self._outcomes: Counter[Outcome] = Counter()
        self._kinds: Counter[FailureKind | None] = Counter()
        self._answered: Counter[AnsweredBy] = Counter()
        self._streams: Counter[tuple[str, Outcome]] = Counter()
        self._latencies = Latencies()
        self.first_us: int | None = None
        """When the first of them was sent."""
        self.last_us: int | None = None
        """When the last of them was over."""

    def add(self, sample: Sample) -> None:
        if self.first_us is None or sample.start_us < self.first_us:
            self.first_us = sample.start_us
        if self.last_us is None or sample.end_us > self.last_us:
            self.last_us = sample.end_us
        outcome = outcome_of(sample, self._late_us)
        self._outcomes[outcome] += 1
        if outcome is Outcome.GENERATOR:
            return
        self._answered[sample.identity.answered_by] += 1
        if sample.stream:
            self._streams[sample.stream, outcome] += 1
        if outcome is Outcome.FAILED:
            self._kinds[sample.error] += 1
        else:
            self._latencies.add(sample)

    def merge(self, other: "Tally") -> None:
        self._outcomes += other._outcomes
        self._kinds += other._kinds
        self._answered += other._answered
        self._streams += other._streams
        self._latencies.merge(other._latencies)
        self.first_us = min((at for at in (self.first_us, other.first_us) if at is not None), default=None)
        self.last_us = max((at for at in (self.last_us, other.last_us) if at is not None), default=None)

    def counts(self, seconds: float, users: float | None) -> Counts:
        total = self._outcomes.total() - self._outcomes[Outcome.GENERATOR]
        kinds = {kind.value if kind else "unknown": number for kind, number in self._kinds.items()}
        answered = {answered_by.value: number for answered_by, number in self._answered.items()}
        return Counts(
            total=total,
            failed=self._outcomes[Outcome.FAILED],
            late=self._outcomes[Outcome.LATE],
            generator_errors=self._outcomes[Outcome.GENERATOR],
            by_kind=dict(sorted(kinds.items())),
            by_answered_by=dict(sorted(answered.items())),
            by_stream={
                stream: {
                    "total": sum(number for (name, _), number in self._streams.items() if name == stream),
                    "failed": self._streams[stream, Outcome.FAILED],
                    "late": self._streams[stream, Outcome.LATE],
                }
                for stream in sorted({name for name, _ in self._streams})
            },
            rate=total / seconds if seconds > 0 else None,
            users=users,
            latency=self._latencies.found(),
        )


def population(
    samples: Iterable[Sample],
    phases: Sequence[Phase],
    late_us: int,
    points: Iterable[Point] = (),
    *,
    own_time: bool = False,
) -> Population:
    """Counts of one population, by phase and in all.

    `own_time`: rates and users are means over the part of a phase that lies between its first start and its last end,
    for a load begins after the run does, and ends before it.
    """
    phase_of = phase_finder(phases)
    tallies: defaultdict[PhaseName, Tally] = defaultdict(lambda: Tally(late_us))
    for sample in samples:
        tallies[phase_of(sample)].add(sample)
    whole = Tally(late_us)
    for tally in tallies.values():
        whole.merge(tally)
    users = [point for point in points if point.measurement == "switchover_users"]
    sent = [_between(phase, whole.first_us, whole.last_us) for phase in phases] if own_time else phases
    by_phase = {phase.name: tallies[phase.name].counts(phase.seconds, users_of(users, phase)) for phase in sent}
    seconds = (sent[-1].to_us - sent[0].from_us) / 1e6 if sent else 0.0
    return Population(whole.counts(seconds, None), by_phase)


def _between(phase: Phase, first_us: int | None, last_us: int | None) -> Phase:
    if first_us is None or last_us is None:
        return phase
    from_us, to_us = (min(max(at_us, first_us), last_us) for at_us in (phase.from_us, phase.to_us))
    return Phase(phase.name, from_us, to_us)


def users_of(points: Iterable[Point], phase: Phase) -> float | None:
    """The mean of `active` over the phase, summed over the processes that told."""
    by_process: defaultdict[tuple[tuple[str, str], ...], list[float]] = defaultdict(list)
    for point in points:
        active = point.fields.get("active")
        if isinstance(active, int | float) and phase.from_us <= point.time_ns // 1000 < phase.to_us:
            by_process[tuple(sorted(point.tags.items()))].append(active)
    return sum(sum(values) / len(values) for values in by_process.values()) if by_process else None
