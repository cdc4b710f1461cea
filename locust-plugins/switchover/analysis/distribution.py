"""Who answered how much: counts and shares, and whether the balancers kept to their algorithm.

Round robin is deterministic, so it is checked exactly; a test of chance is left to algorithms that are by chance.
Probes and samples are counted together, because a balancer's counter does not know them apart.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from switchover.analysis.counters import HAPROXY
from switchover.analysis.phases import Phase, PhaseName, phase_finder
from switchover.analysis.statistics import chi_square_p
from switchover.identity import AnsweredBy
from switchover.points import Point
from switchover.rundir import Run
from switchover.samples import Sample

IN_TURN = frozenset({"roundrobin", "static-rr", "round-robin", "weighted"})
BY_CHANCE = ("random", "hash", "uri", "url_param", "hdr")


@dataclass(frozen=True, slots=True)
class Turns:
    """One balancer's round robin in one phase against the exact expectation."""

    phase: PhaseName
    balancer: str
    counts: Mapping[str, int]
    deviation: float
    """The largest |count - expected|, in requests."""
    allowed: float
    """Any stretch of a round robin is within one request of its share (two if weighted: one at either end); and
    what was in flight at either end of the phase, or redispatched, may count elsewhere."""

    @property
    def kept(self) -> bool:
        return self.deviation <= self.allowed


@dataclass(frozen=True, slots=True)
class ChiSquare:
    statistic: float
    degrees: int
    p: float


@dataclass(frozen=True, slots=True)
class Distribution:
    by_phase: Mapping[PhaseName, Mapping[str, Mapping[str, int]]]
    """Phase, then `backends` or `balancers`, then name: answers."""
    algorithm: str | None = None
    turns: tuple[Turns, ...] = ()
    chi_square: ChiSquare | None = None
    sessions: int | None = None
    """Distinct sessions, where a sticky cookie is named."""
    sessions_moved: int | None = None
    """Those that changed backend although the one before was up."""


def measure_distribution(
    run: Run, records: Sequence[Sample], phases: Sequence[Phase], points: Iterable[Point] = ()
) -> Distribution:
    by_phase: dict[PhaseName, dict[str, dict[str, int]]] = {}
    members: defaultdict[PhaseName, list[Sample]] = defaultdict(list)
    phase_of = phase_finder(phases)
    for record in records if phases else ():
        if record.identity.answered_by in (AnsweredBy.BACKEND, AnsweredBy.BALANCER):
            members[phase_of(record)].append(record)
    for phase in phases:
        backends = Counter(r.identity.backend for r in members[phase.name] if r.identity.backend)
        balancers = Counter(r.identity.balancer for r in members[phase.name] if r.identity.balancer)
        by_phase[phase.name] = {
            "backends": dict(sorted(backends.items())),
            "balancers": dict(sorted(balancers.items())),
        }
    algorithm = run.settings.get("algorithm")
    named = algorithm if isinstance(algorithm, str) else None
    weights = weights_of(run, points)
    sessions = _sessions(run, records)
    return Distribution(
        by_phase=by_phase,
        algorithm=named,
        # A client that a cookie keeps at its backend takes no turn.
        turns=_turns(run, members, phases, weights) if named in IN_TURN and sessions is None else (),
        chi_square=_chi_square(by_phase, weights) if named and named.startswith(BY_CHANCE) else None,
        sessions=sessions[0] if sessions else None,
        sessions_moved=sessions[1] if sessions else None,
    )


def weights_of(run: Run, points: Iterable[Point]) -> dict[str, float]:
    """By backend: as the settings say, or HAProxy's own `weight` column. A server that neither names weighs 1."""
    named = run.settings.get("weights")
    if isinstance(named, Mapping):
        return {str(name): float(weight) for name, weight in named.items()}
    weights: dict[str, float] = {}
    for point in points:
        weight = point.fields.get("weight")
        if point.measurement == HAPROXY and point.tags.get("type") == "server" and isinstance(weight, int):
            weights.setdefault(point.tags.get("server", ""), float(weight))
    return weights


def _turns(
    run: Run, members: Mapping[PhaseName, Sequence[Sample]], phases: Sequence[Phase], weights: Mapping[str, float]
) -> tuple[Turns, ...]:
    """In the phases in which all backends were up."""
    whole = {PhaseName.BASELINE, PhaseName.RECOVERED}
    if run.fault is not None and run.fault.kind == "master":
        whole.add(PhaseName.DEGRADED)
    workers = run.settings.get("counters_per_balancer")
    counters = workers if isinstance(workers, int) and workers > 0 else 1
    everyone = [record for records in members.values() for record in records]
    names = sorted({record.identity.backend for record in everyone if record.identity.backend})
    found = []
    for phase in phases:
        if phase.name not in whole:
            continue
        for balancer in sorted({r.identity.balancer for r in members[phase.name] if r.identity.balancer}):
            here = [record for record in everyone if record.identity.balancer == balancer]
            counts = Counter(
                r.identity.backend
                for r in members[phase.name]
                if r.identity.balancer == balancer and r.identity.backend
            )
            if len(names) < 2 or not counts:
                continue
            edges = sum(r.start_us <= edge <= r.end_us for r in here for edge in (phase.from_us, phase.to_us))
            equal = len({weights.get(name, 1.0) for name in names}) == 1
            found.append(
                Turns(
                    phase=phase.name,
                    balancer=balancer,
                    counts=dict(sorted(counts.items())),
                    deviation=_deviation(counts, names, weights),
                    allowed=counters * (1 if equal else 2) + edges,
                )
            )
    return tuple(found)


def _deviation(counts: Mapping[str, int], names: Sequence[str], weights: Mapping[str, float]) -> float:
    total, weight = sum(counts.values()), sum(weights.get(name, 1.0) for name in names)
    if weight <= 0:
        return 0.0
    return max(abs(counts.get(name, 0) - total * weights.get(name, 1.0) / weight) for name in names)


def _chi_square(
    by_phase: Mapping[PhaseName, Mapping[str, Mapping[str, int]]], weights: Mapping[str, float]
) -> ChiSquare | None:
    """Of the baseline, in which nothing was taken away."""
    counts = by_phase.get(PhaseName.BASELINE, {}).get("backends", {})
    total, weight = sum(counts.values()), sum(weights.get(name, 1.0) for name in counts)
    expected = {name: total * weights.get(name, 1.0) / weight for name in counts} if weight > 0 else {}
    if len(expected) < 2 or min(expected.values()) < 5:
        return None  # the usual condition for the approximation: at least 5 expected in every class
    statistic = sum((counts[name] - expected[name]) ** 2 / expected[name] for name in counts)
    return ChiSquare(statistic, len(counts) - 1, chi_square_p(statistic, len(counts) - 1))


def _sessions(run: Run, records: Iterable[Sample]) -> tuple[int, int] | None:
    """Distinct sessions, and how many of them moved away from a backend that was up."""
    victim = run.fault.victim if run.fault and run.fault.kind == "backend" else None
    fired_us = run.plan.fired_from_us
    last: dict[str, str] = {}
    moved: set[str] = set()
    for record in sorted(records, key=lambda record: record.start_us):
        backend = record.identity.backend
        if not record.session or not backend:
            continue
        before = last.get(record.session, backend)
        excused = before == victim and fired_us is not None and record.end_us >= fired_us
        if before != backend and not excused:
            moved.add(record.session)
        last[record.session] = backend
    return (len(last), len(moved)) if last else None
