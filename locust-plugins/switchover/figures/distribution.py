"""Who answered how much: counts and shares, and whether the balancers kept to their algorithm.

Round robin is deterministic, so it is checked exactly; a test of chance is left to algorithms that are by chance.
Probes and samples are counted together, because a balancer's counter does not know them apart.
"""

from collections.abc import Iterable, Mapping, Sequence

from switchover.evidence.requests.store import sql_text
from switchover.evidence.requests.table import Requests
from switchover.figures.phases import Phase
from switchover.figures.round_robin import count_answers, count_by_answers, count_by_counters, sum_by_name
from switchover.figures.statistics import compare_with_weights
from switchover.rundir.measurements import HAPROXY
from switchover.rundir.points import Point
from switchover.rundir.run_directory import Run
from switchover.verdict.record import Answers, Distribution, PhaseName, Share, Turns

IN_TURN = frozenset({"roundrobin", "static-rr", "round-robin", "weighted"})
BY_CHANCE = ("random", "hash", "uri", "url_param", "hdr")


def measure_distribution(
    run: Run, requests: Requests, phases: Sequence[Phase], points: Iterable[Point] = ()
) -> Distribution:
    weights, sessions = weights_of(run, points), _sessions(run, requests)
    answers = count_answers(requests, phases)
    backends, balancers = (
        {
            phase.name: sum_by_name((getattr(one, of), one.number) for one in answers if one.phase is phase.name)
            for phase in phases
        }
        for of in ("backend", "balancer")
    )
    named, in_baseline = run.settings.algorithm, backends.get(PhaseName.BASELINE, {})
    turns: list[Turns] = []
    if named in IN_TURN and sessions is None:  # a client that a cookie keeps at its backend takes no turn
        if run.target.dedicated:
            turns = count_by_answers(run, requests, answers, phases, weights)
        else:  # among requests of others ours are no series
            turns = count_by_counters(run, points, phases, weights)
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
    """By backend: as the settings say, or HAProxy's own `weight` column. A server that neither names weighs 1."""
    if run.settings.weights is not None:
        return dict(run.settings.weights)
    weights: dict[str, float] = {}
    for point in points:
        weight = point.fields.get("weight")
        if point.measurement == HAPROXY and point.tags.get("type") == "server" and isinstance(weight, int):
            weights.setdefault(point.tags.get("server", ""), float(weight))
    return weights


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
