"""Counts of sent, failed and late requests, for each phase of a run and for the whole run."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from msgspec.structs import asdict

from switchover.evidence.requests.columns import GOOD_OR_LATE, outcome_sql
from switchover.evidence.requests.table import Requests
from switchover.figures.latency import Spread, latency_of, spread_of
from switchover.figures.phases import Phase, phase_sql
from switchover.model.outcome import Outcome
from switchover.rundir.measurements import USERS
from switchover.rundir.points import Point
from switchover.verdict.record import Counts, PhaseName, Population, Stream


@dataclass(slots=True)
class _Tally:
    """The counts of the requests in one phase."""

    rows: list[tuple[str, str, str, str, int]] = field(default_factory=list)
    """The number of requests for each combination of outcome, error, answered_by and stream."""
    first_us: int | None = None
    """The time when the first request was sent."""
    last_us: int | None = None
    """The time when the last request ended."""
    sent: list[Spread] = field(default_factory=list)
    scheduled: list[Spread] = field(default_factory=list)

    def add(self, other: "_Tally") -> None:
        self.rows += other.rows
        self.first_us = min((at for at in (self.first_us, other.first_us) if at is not None), default=None)
        self.last_us = max((at for at in (self.last_us, other.last_us) if at is not None), default=None)
        self.sent += other.sent
        self.scheduled += other.scheduled

    def counts(self, seconds: float, users: float | None) -> Counts:
        outcomes, kinds, answered = Counter[str](), Counter[str](), Counter[str]()
        streams: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for outcome, error, answered_by, stream, number in self.rows:
            outcomes[outcome] += number
            if outcome == Outcome.UNSENT:
                continue
            answered[answered_by] += number
            if stream:
                streams[stream][outcome] += number
            if outcome == Outcome.FAILED:
                kinds[error or "unknown"] += number
        total = outcomes.total() - outcomes[Outcome.UNSENT]
        return Counts(
            total=total,
            failed=outcomes[Outcome.FAILED],
            late=outcomes[Outcome.LATE],
            unsent=outcomes[Outcome.UNSENT],
            by_kind=dict(sorted(kinds.items())),
            by_answered_by=dict(sorted(answered.items())),
            by_stream={
                stream: Stream(total=of.total(), failed=of[Outcome.FAILED], late=of[Outcome.LATE])
                for stream, of in sorted(streams.items())
            },
            rate=round(total / seconds, 3) if seconds > 0 else None,
            users=None if users is None else round(users, 3),
            latency_ms=latency_of(Spread.joined(self.sent), Spread.joined(self.scheduled)),
        )


def population(
    requests: Requests,
    phases: Sequence[Phase],
    late_us: int,
    points: Iterable[Point] = (),
    *,
    own_time: bool = False,
) -> Population:
    """Count the requests of one population, by phase and for the whole run.

    `own_time`: rates and users are means over the time from the first start to the last end of a request. A load
    begins after the start of the run and ends before the end of the run.
    """
    tallies = _tallies(requests, phase_sql(phases), outcome_sql(late_us))
    whole = _Tally()
    for tally in tallies.values():
        whole.add(tally)
    users = [point for point in points if point.measurement == USERS]
    sent = [_between(phase, whole.first_us, whole.last_us) for phase in phases] if own_time else phases
    by_phase = {phase.name: tallies[phase.name].counts(phase.seconds, users_of(users, phase)) for phase in sent}
    seconds = (sent[-1].to_us - sent[0].from_us) / 1e6 if sent else 0.0
    return Population(**asdict(whole.counts(seconds, None)), by_phase=by_phase)


def _tallies(requests: Requests, phase: str, outcome: str) -> "defaultdict[PhaseName, _Tally]":
    tallies: defaultdict[PhaseName, _Tally] = defaultdict(_Tally)
    rows = requests.rows(
        f"SELECT {phase} AS phase, {outcome} AS outcome, error, answered_by, stream, "
        "count(*), min(start_us), max(end_us) FROM {requests} GROUP BY ALL"
    )
    for name, *keys, number, first_us, last_us in rows:
        tallies[PhaseName(name)].add(_Tally([(*keys, number)], first_us, last_us))
    for name, tally in tallies.items():
        answered = f"{phase} = '{name}' AND {GOOD_OR_LATE}"
        tally.sent = [spread_of(requests, "end_us - start_us", answered)]
        tally.scheduled = [spread_of(requests, "end_us - intended_us", f"{answered} AND intended_us IS NOT NULL")]
    return tallies


def _between(phase: Phase, first_us: int | None, last_us: int | None) -> Phase:
    if first_us is None or last_us is None:
        return phase
    from_us, to_us = (min(max(at_us, first_us), last_us) for at_us in (phase.from_us, phase.to_us))
    return Phase(phase.name, from_us, to_us)


def users_of(points: Iterable[Point], phase: Phase) -> float | None:
    """Return the mean number of active users in the phase, summed over all load processes; None: the number was not
    reported."""
    by_process: defaultdict[tuple[tuple[str, str], ...], list[float]] = defaultdict(list)
    for point in points:
        active = point.number("active")
        if active is not None and phase.from_us <= point.time_ns // 1000 < phase.to_us:
            by_process[tuple(sorted(point.tags.items()))].append(active)
    return sum(sum(values) / len(values) for values in by_process.values()) if by_process else None
