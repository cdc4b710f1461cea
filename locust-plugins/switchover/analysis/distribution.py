"""Who answered how much: counts and shares, and whether the balancers kept to their algorithm.

Round robin is deterministic, so it is checked exactly; a test of chance is left to algorithms that are by chance.
Probes and samples are counted together, because a balancer's counter does not know them apart.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from switchover.analysis.phases import Phase, PhaseName, phase_sql
from switchover.analysis.requests.store import sql_text
from switchover.analysis.requests.table import Requests, requests_of
from switchover.analysis.statistics import chi_square_p
from switchover.rundir.measurements import HAPROXY
from switchover.rundir.points import Point
from switchover.rundir.run_directory import Run
from switchover.rundir.sample_log import Sample

IN_TURN = frozenset({"roundrobin", "static-rr", "round-robin", "weighted"})
ANSWERED = "answered_by IN ('backend', 'balancer')"
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


@dataclass(frozen=True, slots=True)
class _Answers:
    """How many of them one backend gave through one balancer in one phase; either name may be unknown."""

    phase: PhaseName
    balancer: str
    backend: str
    number: int


def measure_distribution(
    run: Run, records: Iterable[Sample], phases: Sequence[Phase], points: Iterable[Point] = ()
) -> Distribution:
    requests = requests_of(records)
    answers = _answers(requests, phases) if phases else []
    by_phase: dict[PhaseName, Mapping[str, Mapping[str, int]]] = {}
    for phase in phases:
        here = [one for one in answers if one.phase is phase.name]
        by_phase[phase.name] = {
            "backends": _summed((one.backend, one.number) for one in here),
            "balancers": _summed((one.balancer, one.number) for one in here),
        }
    algorithm = run.settings.get("algorithm")
    named = algorithm if isinstance(algorithm, str) else None
    weights = weights_of(run, points)
    sessions = _sessions(run, requests)
    takes_turns = named in IN_TURN and sessions is None and run.target.get("exclusive") is True
    return Distribution(
        by_phase=by_phase,
        algorithm=named,
        # A client that a cookie keeps at its backend takes no turn; and among requests of others ours are no series.
        turns=_turns(run, requests, answers, phases, weights) if takes_turns else (),
        chi_square=_chi_square(by_phase, weights) if named and named.startswith(BY_CHANCE) else None,
        sessions=sessions[0] if sessions else None,
        sessions_moved=sessions[1] if sessions else None,
    )


def _answers(requests: Requests, phases: Sequence[Phase]) -> list[_Answers]:
    rows = requests.rows(
        f"SELECT {phase_sql(phases)}, balancer, backend, count(*) FROM {{requests}} WHERE {ANSWERED} GROUP BY ALL"
    )
    return [_Answers(PhaseName(phase), balancer, backend, number) for phase, balancer, backend, number in rows]


def _summed(numbers: Iterable[tuple[str, int]]) -> dict[str, int]:
    """By name, less what has none."""
    found: Counter[str] = Counter()
    for name, number in numbers:
        if name:
            found[name] += number
    return dict(sorted(found.items()))


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
    run: Run,
    requests: Requests,
    answers: Sequence[_Answers],
    phases: Sequence[Phase],
    weights: Mapping[str, float],
) -> tuple[Turns, ...]:
    """In the phases in which all backends were up."""
    whole = {PhaseName.BASELINE, PhaseName.RECOVERED}
    if run.fault is not None and run.fault.kind == "master":
        whole.add(PhaseName.DEGRADED)
    workers = run.settings.get("counters_per_balancer")
    counters = workers if isinstance(workers, int) and workers > 0 else 1
    names = sorted({one.backend for one in answers if one.backend})
    equal = len({weights.get(name, 1.0) for name in names}) == 1
    found = []
    for phase in phases:
        here = [one for one in answers if one.phase is phase.name]
        for balancer in sorted({one.balancer for one in here if one.balancer}):
            counts = _summed((one.backend, one.number) for one in here if one.balancer == balancer)
            if phase.name not in whole or len(names) < 2 or not counts:
                continue
            found.append(
                Turns(
                    phase=phase.name,
                    balancer=balancer,
                    counts=counts,
                    deviation=_deviation(counts, names, weights),
                    allowed=counters * (1 if equal else 2) + _at_edges(requests, balancer, phase),
                )
            )
    return tuple(found)


def _at_edges(requests: Requests, balancer: str, phase: Phase) -> int:
    """Answers in flight at either end of a phase, at both counted twice."""
    through = f"{ANSWERED} AND balancer = {sql_text(balancer)}"
    return sum(
        requests.count(f"{through} AND start_us <= {edge} AND {edge} <= end_us")
        for edge in (phase.from_us, phase.to_us)
    )


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


def _sessions(run: Run, requests: Requests) -> tuple[int, int] | None:
    """Distinct sessions, and how many of them moved away from a backend that was up."""
    victim = run.fault.victim if run.fault and run.fault.kind == "backend" else None
    fired_us = run.plan.fired_from_us
    excused = "false"
    if victim is not None and fired_us is not None:
        excused = f"(before = {sql_text(victim)} AND end_us >= {fired_us})"
    named = "session <> '' AND backend <> ''"
    (sessions,) = requests.row(f"SELECT count(DISTINCT session) FROM {{requests}} WHERE {named}")
    if not sessions:
        return None
    (moved,) = requests.row(
        # Few ever see a second backend: only those are put in order.
        f"WITH several AS (SELECT session FROM {{requests}} WHERE {named} GROUP BY session "
        "HAVING min(backend) <> max(backend)), "
        "ordered AS (SELECT session, backend, end_us, "
        "lag(backend) OVER (PARTITION BY session ORDER BY start_us, part, rowid) AS before "
        f"FROM {{requests}} WHERE {named} AND session IN (FROM several)) "
        f"SELECT count(DISTINCT session) FROM ordered WHERE before <> backend AND NOT {excused}"
    )
    return int(sessions), int(moved)
