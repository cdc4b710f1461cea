"""The phases of a run, and what was sent, failed and came late in each."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from switchover.analysis.latency import Latency, latency_of
from switchover.analysis.outage import CLEAN_WINDOW_US, Outage, OutageKind
from switchover.analysis.outcome import Outcome, outcome_of
from switchover.points import Point
from switchover.rundir import Plan
from switchover.samples import Sample


class PhaseName(StrEnum):
    BASELINE = "baseline"
    SWITCHOVER = "switchover"
    DEGRADED = "degraded"
    FAILBACK = "failback"
    RECOVERED = "recovered"


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of the run, from its first microsecond up to the next phase's."""

    name: PhaseName
    from_us: int
    to_us: int

    @property
    def seconds(self) -> float:
        return (self.to_us - self.from_us) / 1e6


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


def phases_of(
    plan: Plan, outage: Outage | None, failback: Outage | None, begun_us: int | None = None
) -> tuple[Phase, ...]:
    """The phases that the run had. A run without a fault is one baseline; one without a heal ends degraded.

    `begun_us` is when the first request was due: the generator starts a moment after the run does.

    Where no probe was impaired, the switchover (or failback) lasts one clean window from the fault (or the heal):
    that long it was watched before it could be called clean. Where there were no probes (`outage` is None), nothing
    says when it was clean: it lasts until the heal, and the failback until the end.
    """
    if plan.start_us is None or plan.end_us is None:
        return ()
    baseline_end_us = plan.end_us if plan.fired_from_us is None else plan.fired_from_us
    start_us = min(max(plan.start_us, begun_us or 0), baseline_end_us)
    if plan.fired_from_us is None:
        return (Phase(PhaseName.BASELINE, start_us, plan.end_us),)
    healed_us = healed_in_time_us(plan)
    horizon_us = plan.end_us if healed_us is None else healed_us
    clean_us = clean_at_us(outage, plan.fired_from_us, horizon_us)
    phases = [
        Phase(PhaseName.BASELINE, start_us, plan.fired_from_us),
        Phase(PhaseName.SWITCHOVER, plan.fired_from_us, clean_us),
        Phase(PhaseName.DEGRADED, clean_us, horizon_us),
    ]
    if healed_us is not None:
        recovered_us = clean_at_us(failback, healed_us, plan.end_us)
        phases += [
            Phase(PhaseName.FAILBACK, healed_us, recovered_us),
            Phase(PhaseName.RECOVERED, recovered_us, plan.end_us),
        ]
    return tuple(phases)


def healed_in_time_us(plan: Plan) -> int | None:
    """When the heal was begun, if that was before the run's end; what is healed at the end has no failback to see."""
    if plan.heal_from_us is None or (plan.end_us is not None and plan.heal_from_us >= plan.end_us):
        return None
    return plan.heal_from_us


def clean_at_us(outage: Outage | None, since_us: int, horizon_us: int) -> int:
    """When the service was clean again after an event; the horizon, if it was not, or nobody looked."""
    if outage is None:
        return horizon_us
    if outage.kind is OutageKind.NONE:
        return min(since_us + CLEAN_WINDOW_US, horizon_us)
    if outage.censored or outage.to_us is None:
        return horizon_us
    return max(since_us, min(outage.to_us, horizon_us))


def phase_of(sample: Sample, phases: Sequence[Phase]) -> PhaseName:
    """The phase of its start; but switchover or failback, if the sample overlaps that (the earlier of both)."""
    for phase in phases:
        if phase.name in (PhaseName.SWITCHOVER, PhaseName.FAILBACK) and (
            sample.start_us < phase.to_us and sample.end_us >= phase.from_us
        ):
            return phase.name
    for phase in reversed(phases):
        if sample.start_us >= phase.from_us:
            return phase.name
    return PhaseName.BASELINE


def population(
    samples: Iterable[Sample],
    phases: Sequence[Phase],
    late_us: int,
    points: Iterable[Point] = (),
    span: tuple[int, int] | None = None,
) -> Population:
    """Counts of one population, by phase and in all.

    `span`: from when to when it was sent, where that is not the whole run; rates and users are means over that.
    """
    members: defaultdict[PhaseName, list[Sample]] = defaultdict(list)
    every: list[Sample] = []
    for sample in samples:
        every.append(sample)
        if phases:
            members[phase_of(sample, phases)].append(sample)
    users = [point for point in points if point.measurement == "switchover_users"]
    sent = [_within(phase, span) for phase in phases]
    by_phase = {
        phase.name: count(members[phase.name], late_us, phase.seconds, users_of(users, phase)) for phase in sent
    }
    seconds = (sent[-1].to_us - sent[0].from_us) / 1e6 if sent else 0.0
    return Population(count(every, late_us, seconds, None), by_phase)


def _within(phase: Phase, span: tuple[int, int] | None) -> Phase:
    if span is None:
        return phase
    from_us, to_us = (min(max(at_us, span[0]), span[1]) for at_us in (phase.from_us, phase.to_us))
    return Phase(phase.name, from_us, to_us)


def extent(samples: Iterable[Sample]) -> tuple[int, int] | None:
    """From the first start to the last end."""
    first = last = None
    for sample in samples:
        first = sample.start_us if first is None or sample.start_us < first else first
        last = sample.end_us if last is None or sample.end_us > last else last
    return None if first is None or last is None else (first, last)


def count(samples: Sequence[Sample], late_us: int, seconds: float, users: float | None) -> Counts:
    outcomes: Counter[Outcome] = Counter()
    kinds: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    streams: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for sample in samples:
        outcome = outcome_of(sample, late_us)
        outcomes[outcome] += 1
        if outcome is Outcome.GENERATOR:
            continue
        answered[sample.identity.answered_by.value] += 1
        if outcome is Outcome.FAILED:
            kinds[sample.error.value if sample.error else "unknown"] += 1
        if sample.stream:
            streams[sample.stream][outcome.value] += 1
    total = len(samples) - outcomes[Outcome.GENERATOR]
    return Counts(
        total=total,
        failed=outcomes[Outcome.FAILED],
        late=outcomes[Outcome.LATE],
        generator_errors=outcomes[Outcome.GENERATOR],
        by_kind=dict(sorted(kinds.items())),
        by_answered_by=dict(sorted(answered.items())),
        by_stream={
            stream: {"total": found.total(), "failed": found[Outcome.FAILED], "late": found[Outcome.LATE]}
            for stream, found in sorted(streams.items())
        },
        rate=total / seconds if seconds > 0 else None,
        users=users,
        latency=latency_of(samples, late_us),
    )


def users_of(points: Iterable[Point], phase: Phase) -> float | None:
    """The mean of `active` over the phase, summed over the processes that told."""
    by_process: defaultdict[tuple[tuple[str, str], ...], list[float]] = defaultdict(list)
    for point in points:
        active = point.fields.get("active")
        if isinstance(active, int | float) and phase.from_us <= point.time_ns // 1000 < phase.to_us:
            by_process[tuple(sorted(point.tags.items()))].append(active)
    return sum(sum(values) / len(values) for values in by_process.values()) if by_process else None
