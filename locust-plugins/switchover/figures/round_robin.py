"""Round robin against the exact expectation: it is deterministic, so each balancer's counts are checked exactly.

Counted by the answers where all traffic is ours; else by HAProxy's own counters, which know everybody's requests.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil

from switchover.evidence.generations import ANSWERS, scrape_durations_us, sum_of
from switchover.evidence.requests.store import sql_text
from switchover.evidence.requests.table import Requests
from switchover.figures.phases import Phase, phase_sql
from switchover.rundir.measurements import HAPROXY
from switchover.rundir.points import Point
from switchover.rundir.run_directory import Run
from switchover.telemetry.haproxy import is_server_up
from switchover.verdict.record import PhaseName, Turns

ANSWERED = "answered_by IN ('backend', 'balancer')"
NOT_ANSWERED = ("wretr", "wredis", "econ", "eresp", "cli_abrt", "srv_abrt")
"""HAProxy's counters of turns that a server was given and did not answer, or answered for another."""


@dataclass(frozen=True, slots=True)
class AnswerCount:
    """How many of them one backend gave through one balancer in one phase; either name may be unknown."""

    phase: PhaseName
    balancer: str
    backend: str
    number: int


def count_answers(requests: Requests, phases: Sequence[Phase]) -> list[AnswerCount]:
    if not phases:
        return []
    rows = requests.rows(
        f"SELECT {phase_sql(phases)}, balancer, backend, count(*) FROM {{requests}} WHERE {ANSWERED} GROUP BY ALL"
    )
    return [AnswerCount(PhaseName(phase), balancer, backend, number) for phase, balancer, backend, number in rows]


def sum_by_name(numbers: Iterable[tuple[str, int]]) -> dict[str, int]:
    """By name, less what has none."""
    found: Counter[str] = Counter()
    for name, number in numbers:
        if name:
            found[name] += number
    return dict(sorted(found.items()))


def count_by_answers(
    run: Run,
    requests: Requests,
    answers: Sequence[AnswerCount],
    phases: Sequence[Phase],
    weights: Mapping[str, float],
) -> list[Turns]:
    """Where all traffic is ours. In flight at an edge of a phase: may count on either side."""
    whole = _whole_phases(run)
    names = sorted({one.backend for one in answers if one.backend})
    by_turns = _counters_of(run) * _ends(names, weights)
    found = []
    for phase in phases:
        here = [one for one in answers if one.phase is phase.name]
        for balancer in sorted({one.balancer for one in here if one.balancer}):
            counts = sum_by_name((one.backend, one.number) for one in here if one.balancer == balancer)
            if phase.name not in whole or len(names) < 2 or not counts:
                continue
            found.append(
                _turns(
                    phase,
                    balancer,
                    counts,
                    _deviation(counts, names, weights),
                    by_turns + _at_edges(requests, balancer, phase),
                )
            )
    return found


def count_by_counters(
    run: Run, points: Iterable[Point], phases: Sequence[Phase], weights: Mapping[str, float]
) -> list[Turns]:
    """Between the first and the last scrape of each HAProxy process within a phase, by proxy, where every server was
    up all the time. Servers that are there only as a backup take no turn. A server may have another weight in each
    proxy; where weights were changed meanwhile, no share can be expected."""
    points = list(points)
    durations = scrape_durations_us(points)
    readings: defaultdict[tuple[str, str, int], list[Point]] = defaultdict(list)
    for point in points:
        if point.measurement == HAPROXY and point.tags.get("type") == "server" and not point.fields.get("bck"):
            readings[point.tags.get("node", ""), point.tags.get("proxy", ""), point.time_ns].append(point)
    whole = _whole_phases(run)
    found = []
    for phase in phases:
        here = [
            _Reading(node, proxy, time_ns // 1000, durations.get((node, time_ns), 0), tuple(rows))
            for (node, proxy, time_ns), rows in sorted(readings.items())
            if phase.name in whole and phase.from_us <= time_ns // 1000 < phase.to_us
        ]
        for (node, _, _), series in groupby(here, key=lambda one: (one.node, one.proxy, one.generation)):
            members = list(series)
            if len(members) < 2 or not all(one.is_up for one in members):
                continue
            first, last = members[0], members[-1]
            if any(
                weight != last.weights.get(server, weight)
                for one in members
                for server, weight in one.weights.items()
            ):
                continue
            own = weights if run.settings.weights is not None else last.weights
            counts = {name: count - first.answers.get(name, 0) for name, count in last.answers.items()}
            if len(counts) < 2 or not any(counts.values()):
                continue
            found.append(
                _turns(
                    phase,
                    node,
                    counts,
                    _deviation(counts, sorted(counts), own),
                    _counters_of(run) * _ends(counts, own) + _doubtful(first, last),
                )
            )
    return found


def _turns(phase: Phase, balancer: str, counts: dict[str, int], deviation: float, allowed: float) -> Turns:
    """`allowed`: any part of a round robin is within one request of its share (two if weighted: one at either end).
    Requests in flight at either end of the phase, or redispatched, may count elsewhere."""
    return Turns(
        phase=phase.name,
        balancer=balancer,
        counts=counts,
        deviation=round(deviation, 3),
        allowed=allowed,
        kept=deviation <= allowed,
    )


@dataclass(frozen=True, slots=True)
class _Reading:
    """The servers of one proxy in one scrape."""

    node: str
    proxy: str
    at_us: int
    duration_us: int
    rows: tuple[Point, ...]

    @property
    def generation(self) -> str:
        return str(self.rows[0].fields.get("generation", ""))

    @property
    def is_up(self) -> bool:
        return all(is_server_up(str(row.fields.get("status", ""))) for row in self.rows)

    @property
    def answers(self) -> dict[str, int]:
        return {row.tags.get("server", ""): sum_of(row, ANSWERS) for row in self.rows}

    @property
    def weights(self) -> dict[str, float]:
        known = ((row.tags.get("server", ""), row.number("weight")) for row in self.rows)
        return {server: weight for server, weight in known if weight is not None}

    def total(self, *columns: str) -> int:
        return sum(sum_of(row, columns) for row in self.rows)


def _doubtful(first: _Reading, last: _Reading) -> int:
    """Turns between two scrapes that need not show as answers: in flight at either, not answered, or taken while
    HAProxy wrote one row after another."""
    in_flight = first.total("scur") + last.total("scur")
    not_answered = last.total(*NOT_ANSWERED) - first.total(*NOT_ANSWERED)
    per_us = (last.total(*ANSWERS) - first.total(*ANSWERS)) / (last.at_us - first.at_us)
    return in_flight + not_answered + sum(ceil(per_us * one.duration_us) for one in (first, last))


def _whole_phases(run: Run) -> frozenset[PhaseName]:
    """The phases in which all backends were up."""
    on_backup = {PhaseName.ON_BACKUP} if run.fault is not None and run.fault.kind == "master" else set()
    return frozenset({PhaseName.BASELINE, PhaseName.RECOVERED} | on_backup)


def _counters_of(run: Run) -> int:
    """How many counters of turns each balancer keeps: Nginx one for each worker."""
    return max(1, run.settings.counters_per_balancer or 1)


def _ends(names: Iterable[str], weights: Mapping[str, float]) -> int:
    """By how many requests a stretch of turns may be off its share: two if weighted, one at either end."""
    return 1 if len({weights.get(name, 1.0) for name in names}) == 1 else 2


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
