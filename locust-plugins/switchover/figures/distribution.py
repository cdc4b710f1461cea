"""Responses by backend and balancer: counts, shares, and a check of the balancing algorithm.

Round robin is deterministic, so round robin is checked exactly. Random and hashing algorithms are checked with a
statistical test. Probes and samples are counted together, because the balancer treats both in the same way.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

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
        {
            phase.name: _sum_by_name(
                (getattr(answer, of), answer.number) for answer in answers if answer.phase is phase.name
            )
            for phase in phases
        }
        for of in ("backend", "balancer")
    )
    named, in_baseline = run.settings.algorithm, backends.get(PhaseName.BASELINE, {})
    turns: list[Turns] = []
    # A client with a cookie stays at its backend. On a shared target, other clients also advance the round robin.
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
    """Return the weight of each backend, from the settings or from HAProxy's `weight` column."""
    if run.settings.weights is not None:
        return dict(run.settings.weights)
    weights: dict[str, float] = {}
    for point in points:
        weight = point.fields.get("weight")
        if point.measurement == HAPROXY and point.tags.get("type") == "server" and isinstance(weight, int):
            weights.setdefault(point.tags.get("server", ""), float(weight))
    return weights


def _sessions(run: Run, requests: Requests) -> tuple[int, int] | None:
    """Count all sessions, and the sessions that moved to another backend although the previous backend was up. Return
    None if there is no session."""
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
        # Only sessions with more than one backend are sorted, because these sessions are few.
        f"WITH several AS (SELECT session FROM {{requests}} WHERE {named} GROUP BY session "
        "HAVING min(backend) <> max(backend)), "
        "ordered AS (SELECT session, backend, end_us, "
        "lag(backend) OVER (PARTITION BY session ORDER BY start_us, part, rowid) AS before "
        f"FROM {{requests}} WHERE {named} AND session IN (FROM several)) "
        f"SELECT count(DISTINCT session) FROM ordered WHERE before <> backend AND NOT {excused}"
    )
    return int(sessions), int(moved)


class AnswerCount(NamedTuple):
    """The number of responses that a backend sent through a balancer in a phase. An unknown name is empty."""

    phase: PhaseName
    balancer: str
    backend: str
    number: int


def _count_answers(requests: Requests, phases: Sequence[Phase]) -> list[AnswerCount]:
    if not phases:
        return []
    rows = requests.rows(
        f"SELECT {phase_sql(phases)}, balancer, backend, count(*) FROM {{requests}} WHERE {ANSWERED} GROUP BY ALL"
    )
    return [AnswerCount(PhaseName(phase), balancer, backend, number) for phase, balancer, backend, number in rows]


def _sum_by_name(numbers: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return the sum of the numbers of each name. Empty names are ignored."""
    sums: Counter[str] = Counter()
    for name, number in numbers:
        if name:
            sums[name] += number
    return dict(sorted(sums.items()))


def _turns_of(
    run: Run,
    requests: Requests,
    answers: Sequence[AnswerCount],
    phases: Sequence[Phase],
    weights: Mapping[str, float],
) -> list[Turns]:
    """Check the round robin of each balancer, for each phase in which all backends are up. The target must be
    dedicated.

    The count of a backend may deviate from its share by one request, or by two requests if the weights differ. Nginx
    has a separate round robin in each worker, so the limit is multiplied by the number of workers. Requests in flight
    at the start or end of a phase are added to the limit, because they may belong to another phase.
    """
    whole = {PhaseName.BASELINE, PhaseName.RECOVERED}
    whole |= {PhaseName.ON_BACKUP} if run.fault is not None and run.fault.kind == "master" else set()
    names = sorted({answer.backend for answer in answers if answer.backend})
    is_weighted = len({weights.get(name, 1.0) for name in names}) > 1
    by_turns = max(1, run.settings.counters_per_balancer or 1) * (2 if is_weighted else 1)
    checks = []
    for phase in phases:
        here = [answer for answer in answers if answer.phase is phase.name]
        for balancer in sorted({answer.balancer for answer in here if answer.balancer}):
            counts = _sum_by_name((answer.backend, answer.number) for answer in here if answer.balancer == balancer)
            if phase.name not in whole or len(names) < 2 or not counts:
                continue
            deviation, allowed = _deviation(counts, names, weights), by_turns + _at_edges(requests, balancer, phase)
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
    """Count the responses in flight at the start and at the end of a phase. A response in flight at both times counts
    twice."""
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


def compare_with_weights(counts: Mapping[str, int], weights: Mapping[str, float]) -> ChiSquare | None:
    """Test if the counts match the weights. A name without a weight has the weight 1. Return None if there are too
    few responses."""
    total, weight = sum(counts.values()), sum(weights.get(name, 1.0) for name in counts)
    expected = {name: total * weights.get(name, 1.0) / weight for name in counts} if weight > 0 else {}
    if len(expected) < 2 or min(expected.values()) < 5:
        return None  # the approximation needs an expected count of at least 5 in each class
    statistic = sum((counts[name] - expected[name]) ** 2 / expected[name] for name in counts)
    degrees = len(counts) - 1
    p = chi_square_p(statistic, degrees)
    return ChiSquare(statistic=round(statistic, 6), degrees=degrees, p=round(p, 9))
