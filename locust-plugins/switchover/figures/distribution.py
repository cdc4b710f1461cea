"""Responses of probes and samples by backend and balancer: counts, shares, and a check of the balancing algorithm.
Round robin is deterministic, so it is checked exactly. Random and hashing algorithms need a statistical test."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from switchover.evidence.requests.store import sql_text
from switchover.evidence.requests.table import Requests
from switchover.figures.phases import Phase, phase_sql
from switchover.model.statistics import chi_square_p
from switchover.rundir.measurements import HAPROXY
from switchover.rundir.points import Point
from switchover.rundir.run_directory import Run
from switchover.verdict.record import Answers, ChiSquare, Distribution, PhaseName, Share, Turns

IN_TURN = frozenset({"roundrobin", "static-rr", "round-robin", "weighted"})
ANSWERED = "answered_by IN ('backend', 'balancer')"
BY_CHANCE = ("random", "hash", "uri", "url_param", "hdr")


def measure_distribution(
    run: Run, requests: Requests, phases: Sequence[Phase], points: Iterable[Point] = ()
) -> Distribution:
    weights, sessions = weights_of(run, points), _sessions(run, requests)
    answers = _count_answers(requests, phases)
    backends, balancers = (
        {phase.name: _count_by(of, (answer for answer in answers if answer.phase == phase.name)) for phase in phases}
        for of in ("backend", "balancer")
    )
    named, in_baseline = run.settings.algorithm, backends.get(PhaseName.BASELINE, {})
    turns: list[Turns] = []
    # A cookie binds a client to a backend. On a shared target, other clients also advance the round robin.
    if named in IN_TURN and sessions is None and run.target.dedicated:
        turns = _turns_of(run, requests, answers, phases, weights)
    return Distribution(
        by_phase={
            phase.name: Answers(backends=_shares(backends[phase.name]), balancers=_shares(balancers[phase.name]))
            for phase in phases
        },
        algorithm=named,
        turns=turns,
        chi_square=compare_with_weights(in_baseline, weights) if named and named.startswith(BY_CHANCE) else None,
        sessions=sessions[0] if sessions else None,
        sessions_moved=sessions[1] if sessions else None,
    )


def _shares(counts: Mapping[str, int]) -> dict[str, Share]:
    total = sum(counts.values())
    return {name: Share(count=count, share=round(count / total, 6)) for name, count in counts.items()}


def weights_of(run: Run, points: Iterable[Point]) -> dict[str, float]:
    """Return the weight of each backend, from the settings of the run or from the column `weight` of HAProxy's
    statistics."""
    if run.settings.weights is not None:
        return dict(run.settings.weights)
    weights: dict[str, float] = {}
    for point in points:
        weight = point.fields.get("weight")
        if point.measurement == HAPROXY and point.tags.get("type") == "server" and isinstance(weight, int):
            weights.setdefault(point.tags.get("server", ""), float(weight))
    return weights


def _sessions(run: Run, requests: Requests) -> tuple[int, int] | None:
    """Count all sessions, and the sessions that changed to another backend although their backend was up. None: no
    sessions."""
    fault, fired_us, excused = run.fault, run.plan.fired_from_us, "false"
    if fault and fault.kind == "backend" and fault.victim is not None and fired_us is not None:
        excused = f"(before = {sql_text(fault.victim)} AND end_us >= {fired_us})"
    named = "session <> '' AND backend <> ''"
    (sessions,) = requests.row(f"SELECT count(DISTINCT session) FROM {{requests}} WHERE {named}")
    if not sessions:
        return None
    (moved,) = requests.row(
        # Only the few sessions with more than one backend are sorted.
        f"WITH several AS (SELECT session FROM {{requests}} WHERE {named} GROUP BY session "
        "HAVING min(backend) <> max(backend)), "
        "ordered AS (SELECT session, backend, end_us, "
        "lag(backend) OVER (PARTITION BY session ORDER BY start_us, part, rowid) AS before "
        f"FROM {{requests}} WHERE {named} AND session IN (FROM several)) "
        f"SELECT count(DISTINCT session) FROM ordered WHERE before <> backend AND NOT {excused}"
    )
    return int(sessions), int(moved)


class AnswerCount(NamedTuple):
    """The number of responses of a backend through a balancer in a phase. If a name is unknown, it is empty."""

    phase: str
    balancer: str
    backend: str
    number: int


def _count_answers(requests: Requests, phases: Sequence[Phase]) -> list[AnswerCount]:
    if not phases:
        return []
    rows = requests.rows(
        f"SELECT {phase_sql(phases)}, balancer, backend, count(*) FROM {{requests}} WHERE {ANSWERED} GROUP BY ALL"
    )
    return list(map(AnswerCount._make, rows))


def _count_by(of: Literal["backend", "balancer"], answers: Iterable[AnswerCount]) -> dict[str, int]:
    sums: Counter[str] = Counter()
    for answer in answers:
        sums[getattr(answer, of)] += answer.number
    return {name: number for name, number in sorted(sums.items()) if name}


def _turns_of(
    run: Run,
    requests: Requests,
    answers: Sequence[AnswerCount],
    phases: Sequence[Phase],
    weights: Mapping[str, float],
) -> list[Turns]:
    """Check the round robin of each balancer of a dedicated target, for each phase in which all backends are up. For
    each worker (Nginx), a backend's count may differ from the expected count by one request, or by two if the weights
    differ. The allowed difference also includes requests in flight at the start or end of a phase, because they may
    belong to another phase."""
    whole = {PhaseName.BASELINE, PhaseName.RECOVERED}
    whole |= {PhaseName.ON_BACKUP} if run.fault is not None and run.fault.kind == "master" else set()
    names = sorted({answer.backend for answer in answers if answer.backend})
    is_weighted = len({weights.get(name, 1.0) for name in names}) > 1
    by_turns = max(1, run.settings.counters_per_balancer or 1) * (2 if is_weighted else 1)
    checks = []
    for phase in phases:
        here = [answer for answer in answers if answer.phase == phase.name]
        for balancer in _count_by("balancer", here):
            counts = _count_by("backend", (answer for answer in here if answer.balancer == balancer))
            if phase.name not in whole or len(names) < 2 or not counts:
                continue
            expected, allowed = _expected(counts, names, weights), by_turns + _at_edges(requests, balancer, phase)
            deviation = max((abs(counts.get(name, 0) - share) for name, share in expected.items()), default=0.0)
            turns = Turns(
                phase=phase.name,
                balancer=balancer,
                counts=counts,
                deviation=round(deviation, 3),
                allowed=allowed,
                kept=deviation <= allowed,
            )
            checks.append(turns)
    return checks


def _at_edges(requests: Requests, balancer: str, phase: Phase) -> int:
    """Count the responses of a balancer that were in flight at the start or at the end of a phase."""
    through = f"{ANSWERED} AND balancer = {sql_text(balancer)}"
    return sum(
        requests.count(f"{through} AND start_us <= {edge} AND {edge} <= end_us")
        for edge in (phase.from_us, phase.to_us)
    )


def _expected(counts: Mapping[str, int], names: Iterable[str], weights: Mapping[str, float]) -> dict[str, float]:
    """Return, for each backend name, the number of responses that the weights predict; empty if the sum of the
    weights is 0."""
    shares = {name: weights.get(name, 1.0) for name in names}
    total, weight = sum(counts.values()), sum(shares.values())
    return {name: total * share / weight for name, share in shares.items()} if weight > 0 else {}


def compare_with_weights(counts: Mapping[str, int], weights: Mapping[str, float]) -> ChiSquare | None:
    """Test whether the backends' numbers of responses match their weights. An unknown weight counts as 1. None: there
    are too few responses for the test."""
    expected = _expected(counts, counts, weights)
    if len(expected) < 2 or min(expected.values()) < 5:
        return None  # the chi-squared approximation needs an expected count of at least 5 for each name
    statistic = sum((counts[name] - expected[name]) ** 2 / expected[name] for name in counts)
    degrees = len(counts) - 1
    return ChiSquare(statistic=round(statistic, 6), degrees=degrees, p=round(chi_square_p(statistic, degrees), 9))
