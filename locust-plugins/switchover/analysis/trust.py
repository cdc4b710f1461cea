"""Why a run must not be believed. Whoever reads a verdict reads this first."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from switchover.analysis.budget import BudgetResult
from switchover.analysis.outage import Gap, Outage
from switchover.analysis.phases import PhaseName, Population
from switchover.analysis.probes import Probe
from switchover.analysis.schedule import accounts_of
from switchover.rundir import Run

BOUND_SHARE = 0.10
"""An outage whose bound is a larger part of it, because the generator did not send, is not measured."""
HOLE_INTERVALS = 10
"""Sends that are further apart than this many intervals leave a hole: whatever happened in it was not seen."""
GATE_SHARE = 0.05
"""The baseline's rate may deviate by less than this from the one that was asked for (RFC 9411 section 7.3.3.3)."""

Interval = tuple[int, int]


def reasons_of(
    run: Run,
    probes: Sequence[Probe],
    outage: Outage,
    failback: Outage | None,
    population: Population,
    budgets: Sequence[BudgetResult],
    missing: Sequence[str],
) -> list[str]:
    """Each reason is one line; an empty list is a run that can be trusted."""
    reasons = _of_the_fault(run)
    if run.plan.start_us is None or run.plan.end_us is None:
        reasons.append("the run did not reach its end: run.json has no start or no end")
    if not probes:
        reasons.append("there is no probe: nothing measured the outage")
    baseline = population.by_phase.get(PhaseName.BASELINE)
    if run.plan.fired_from_us is not None and baseline is not None:
        if baseline.failed:
            reasons.append(f"{baseline.failed} of {baseline.total} probes failed in the baseline, before the fault")
        elif not baseline.total:
            reasons.append("there is no probe in the baseline: nothing says that the service was well before")
    for name, measured in (("outage", outage), ("failback", failback)):
        if measured is not None:
            reasons += _of_the_generator(run, probes, name, measured)
    reasons += [f"{name} is missing: the run wrote it, but it is not here" for name in missing]
    for result in budgets:
        if result.passed is None:
            reasons.append(f"budget {result.budget}: {result.note or 'the run has no witness for it'}")
    return reasons


def warnings_of(run: Run, outage: Outage, population: Population, ignored: int) -> list[str]:
    """What a reader should know, though the figures stand."""
    warnings = [*run.warnings, *run.truncated]
    read_ms = run.settings.get("timeout_read_ms")
    if outage.gaps and isinstance(read_ms, int | float) and read_ms * 1000 > outage.duration_us:
        warnings.append(
            f"the probes' read time-out ({read_ms:g} ms) exceeds the outage: "
            "what hangs is answered late, so failures and the loss-derived figure are too low"
        )
    if outage.longest_stray_us > outage.duration_us:
        warnings.append(
            f"a later gap of {outage.longest_stray_us / 1000:.0f} ms is longer than the outage: "
            "it came after a clean window, and counts in the budget"
        )
    baseline, rate = population.by_phase.get(PhaseName.BASELINE), run.settings.get("probe_rate")
    kept = run.settings.get("kept_rate")
    asked = sum(value for value in (rate, kept) if isinstance(value, int | float))
    if baseline is not None and baseline.rate is not None and asked:
        deviation = baseline.rate / asked - 1
        if abs(deviation) >= GATE_SHARE:
            warnings.append(
                f"the baseline's rate was {deviation:+.1%} off the {asked:g}/s asked for "
                "(RFC 9411 section 7.3.3.3 allows less than 5 %)"
            )
    if baseline is not None and baseline.late:
        warnings.append(f"{baseline.late} probes came late in the baseline, before the fault")
    if population.whole.generator_errors:
        warnings.append(
            f"{population.whole.generator_errors} probes could not be sent (client out of ports or files)"
        )
    if ignored:
        warnings.append(f"{ignored} lines of the run directory could not be read")
    return warnings


def _of_the_fault(run: Run) -> list[str]:
    fault, plan = run.fault, run.plan
    if fault is None or fault.kind == "none":
        return [fault.error] if fault is not None and fault.error else []
    reasons = []
    if fault.error:
        reasons.append(fault.error)
    elif plan.fired_from_us is None:
        reasons.append(f"{fault.name} was not fired")
    elif plan.confirmed_us is None:
        reasons.append(f"{fault.name} was fired, but nothing proved that it took effect")
    if plan.heal_from_us is not None and plan.healed_us is None and not fault.error:
        reasons.append(f"the heal of {fault.name} was not verified: the target may still be broken")
    return reasons


def _of_the_generator(run: Run, probes: Sequence[Probe], name: str, outage: Outage) -> list[str]:
    """Holes in the sending where an outage begins or ends."""
    if not outage.gaps or not outage.interval_us:
        return []
    edges = [_left_edge(outage.gaps[0])]
    if outage.gaps[-1].closed:
        edges.append(_right_edge(outage.gaps[-1]))
    holes = _holes(probes, HOLE_INTERVALS * outage.interval_us)
    for edge in edges:
        for hole in holes:
            if _overlap(hole, edge):
                return [f"the generator sent nothing for {_ms(hole)} ms at an edge of the {name}"]
    unsent = _unsent(run.generator)
    if outage.early_us > BOUND_SHARE * outage.duration_us:
        for edge in edges:
            if any(_overlap(gap, edge) for gap in unsent):
                share = outage.early_us / outage.duration_us
                return [f"slots that the generator left out make the bound {share:.0%} of the {name}"]
    return []


def _left_edge(gap: Gap) -> Interval:
    return min(gap.from_us, gap.first_us), max(gap.from_us, gap.first_us)


def _right_edge(gap: Gap) -> Interval:
    return gap.to_us - gap.early_right_us, gap.to_us


def _holes(probes: Sequence[Probe], longer_than_us: float) -> list[Interval]:
    starts = [probe.start_us for probe in probes]
    return [(a, b) for a, b in pairwise(starts) if b - a > longer_than_us]


def _unsent(generator: dict[str, Any]) -> list[Interval]:
    """The slots of the fresh stream that were given up, as [from, to) of their due times."""
    gaps = accounts_of(generator).get("fresh", {}).get("gaps")
    return [(int(gap[0]), int(gap[1])) for gap in gaps] if isinstance(gaps, list) else []


def _overlap(one: Interval, other: Interval) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _ms(interval: Interval) -> int:
    return round((interval[1] - interval[0]) / 1000)
