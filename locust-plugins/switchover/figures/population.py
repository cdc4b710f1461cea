"""The numbers of sent, failed and late requests, for each phase of a run and for the whole run."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import asdict

from switchover.evidence.requests.columns import outcome_sql
from switchover.evidence.requests.table import Requests
from switchover.figures.latency import measure_latencies
from switchover.figures.phases import Phase, phase_sql
from switchover.model.outcome import Outcome
from switchover.rundir.measurements import USERS
from switchover.rundir.points import Point
from switchover.verdict.record import Counts, Latency, Population, Stream


def population(
    requests: Requests, phases: Sequence[Phase], late_us: int, points: Iterable[Point] = (), *, own_time: bool = False
) -> Population:
    """Count the requests of one population, by phase and for the whole run. `own_time`: rates and users are means
    over the time of the load, which is shorter than the run."""
    phase_name = phase_sql(phases)
    rows = requests.rows(
        f"SELECT {phase_name} AS phase, {outcome_sql(late_us)} AS outcome, error, answered_by, stream, "
        "count(*), min(start_us), max(end_us) FROM {requests} GROUP BY ALL"
    )
    latencies = measure_latencies(requests, phase_name)
    users = [point for point in points if point.measurement == USERS]
    if own_time and rows:
        first_us, last_us = min(row[-2] for row in rows), max(row[-1] for row in rows)
        phases = [phase.within(first_us, last_us) for phase in phases]
    by_phase = {
        phase.name: _counts(
            [row for row in rows if row[0] == phase.name],
            latencies.get(phase.name),
            phase.seconds,
            users_of(users, phase),
        )
        for phase in phases
    }
    seconds = (phases[-1].to_us - phases[0].from_us) / 1e6 if phases else 0.0
    return Population(**asdict(_counts(rows, latencies.get(None), seconds, None)), by_phase=by_phase)


def _counts(rows: Iterable[Sequence[Any]], latency: Latency | None, seconds: float, users: float | None) -> Counts:
    outcomes, kinds, answered = Counter[str](), Counter[str](), Counter[str]()
    streams: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for _, outcome, error, answered_by, stream, number, *_ in rows:
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
        latency_ms=latency,
    )


def users_of(points: Iterable[Point], phase: Phase) -> float | None:
    """Return the mean number of active users in the phase, summed over all processes. None: no process reported
    users."""
    by_process: defaultdict[tuple[tuple[str, str], ...], list[float]] = defaultdict(list)
    for point in points:
        active = point.number("active")
        if active is not None and phase.from_us <= point.time_ns // 1000 < phase.to_us:
            by_process[tuple(sorted(point.tags.items()))].append(active)
    return sum(sum(values) / len(values) for values in by_process.values()) if by_process else None
