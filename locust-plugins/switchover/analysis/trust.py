"""Why a run must not be believed. Whoever reads a verdict reads this first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from switchover.analysis.budget import BudgetName, BudgetResult
from switchover.analysis.distribution import Distribution
from switchover.analysis.nodes import balancers_of
from switchover.analysis.outage import Outage, OutageKind
from switchover.analysis.phases import PhaseName
from switchover.analysis.population import Population
from switchover.analysis.probe_gaps import (
    BOUND_SHARE,
    HOLE_INTERVALS,
    Interval,
    edges_of,
    holes_of,
    milliseconds,
    overlap,
)
from switchover.analysis.probes import Probes
from switchover.analysis.run_data import RunData
from switchover.analysis.schedule import accounts_of
from switchover.rundir.load_facts import LOST, RUNNING
from switchover.rundir.measurements import EVENT
from switchover.rundir.run_directory import Run


def load_reasons(data: RunData) -> Iterator[str]:
    """Everybody who made it was there until its end, and what they recorded is here."""
    load = data.run.settings.get("load")
    if not isinstance(load, dict):
        return
    if load.get("state") == RUNNING:
        yield "the load did not end in order: what it had not written down is missing"
    for worker in data.run.workers:
        name = f"{worker.get('worker') or 'the load'} on {worker.get('host') or 'an unknown host'}"
        if worker.get("ended") == LOST:
            yield f"{name} was lost: nobody knows what else it had sent"
        lost = worker.get("lost")
        if isinstance(lost, int) and lost > 0:
            yield f"{lost:,} samples of {name} could not be written down: is the disk full?"
    if not data.samples:
        yield "the load left no sample"
        return
    written = recorded(data.run)
    if written is not None and written != len(data.samples):
        yield f"the load recorded {written:,} samples, and {len(data.samples):,} are here"


def recorded(run: Run) -> int | None:
    """What the processes of a load say they wrote, in lines of the sample log; None where not all of them said it."""
    told = [(worker.get("samples"), worker.get("lost") or 0) for worker in run.workers]
    numbers = [samples - lost for samples, lost in told if isinstance(samples, int) and isinstance(lost, int)]
    return sum(numbers) if numbers and len(numbers) == len(told) else None


GATE_SHARE = 0.05
"""The baseline's rate may deviate by less than this from the one that was asked for (RFC 9411 section 7.3.3.3)."""
LAG_MS = 1.5
"""The 99th percentile of the send lag above which the probes were not evenly spaced any more."""
_CUT_SHORT = {BudgetName.OUTAGE: ("--hold", "hold"), BudgetName.FAILBACK: ("--recover", "recover")}
"""How `Run.truncated` calls the phase that a budget looks at: by the option that cuts it short, or by itself."""


@dataclass(frozen=True, slots=True)
class Watched:
    """A figure, and the stretch of the run in which the probes had to look for it."""

    name: str
    outage: Outage
    since_us: int
    until_us: int


def reasons_of(
    data: RunData,
    probes: Probes,
    watched: Sequence[Watched],
    population: Population | None,
    distribution: Distribution,
    budgets: Sequence[BudgetResult],
) -> list[str]:
    """Each reason is one line; an empty list is a run that can be trusted."""
    run = data.run
    reasons = [*_of_the_fault(run)]
    if run.plan.start_us is None or run.plan.end_us is None:
        reasons.append("the run did not reach its end: run.json has no start or no end")
    if population is not None:
        if not probes:
            reasons.append("there is no probe: nothing measured the outage")
        reasons += [*_of_the_baseline(population), *_of_the_account(run)]
    reasons += [*_of_the_master(run, distribution), *load_reasons(data)]
    for one in watched:
        reasons += _of_the_holes(run, probes, one)
    reasons += data.unread
    reasons += [f"{name} is missing: the run was to write it, but it is not here" for name in data.missing]
    outages = {one.name: one.outage for one in watched}
    for result in budgets:
        reasons += _of_the_budget(run, result, outages.get(result.budget.name.value))
    return reasons


def warnings_of(
    data: RunData, probes: Probes, watched: Sequence[Watched], population: Population | None
) -> list[str]:
    """What a reader should know, though the figures stand."""
    run = data.run
    warnings = [*run.warnings, *run.truncated]
    warnings += [
        f"{one.name}: not recovered, the service was away at the end of its phase, or away again"
        for one in watched
        if not one.outage.recovered
    ]
    if watched:
        warnings += _of_the_outage(run, watched[0].outage)
    if population is not None:
        warnings += [*_of_the_rate(run, population), *_of_the_lag(run, probes, watched)]
        if population.whole.generator_errors:
            warnings.append(
                f"{population.whole.generator_errors} probes could not be sent (client out of ports or files)"
            )
    ignored = sum(data.ignored.values())
    if ignored:
        warnings.append(f"{ignored} lines of the run directory could not be read")
    return list(dict.fromkeys([*warnings, *_of_the_journal(data)]))


def _of_the_fault(run: Run) -> Iterator[str]:
    fault, plan = run.fault, run.plan
    if fault is None:
        return
    if fault.error:
        yield fault.error
    elif fault.kind == "none":
        return
    elif plan.fired_from_us is None:
        yield f"{fault.name} was not fired"
    elif plan.confirmed_us is None:
        yield f"{fault.name} was fired, but nothing proved that it took effect"
    if plan.fired_from_us is not None and plan.healed_us is None and not fault.error:
        yield f"the heal of {fault.name} was not verified: the target may still be broken"


def _of_the_baseline(population: Population) -> Iterator[str]:
    """All was well before the fault."""
    baseline = population.by_phase.get(PhaseName.BASELINE)
    if baseline is None:
        return
    if baseline.failed:
        yield f"{baseline.failed} of {baseline.total} probes failed in the baseline, before the fault"
    elif not baseline.total:
        yield "there is no probe in the baseline: nothing says that the service was well before"


def _of_the_master(run: Run, distribution: Distribution) -> Iterator[str]:
    """The balancer that was hit is the one that had answered."""
    fault, balancers = run.fault, balancers_of(run)
    if fault is None or fault.kind != "master" or fault.master not in balancers:
        return
    answered = distribution.by_phase.get(PhaseName.BASELINE, {}).get("balancers", {})
    for name, count in answered.items():
        if name in balancers and name != fault.master:
            yield f"{name} gave {count:,} answers in the baseline: {fault.master} was not the only master"


def _of_the_account(run: Run) -> Iterator[str]:
    """The generator's own word on what it sent."""
    lost = run.generator.get("lost")
    if "fresh" not in accounts_of(run.generator):
        why = run.generator.get("warning")
        yield "the generator left no account of what it sent" + (f": {why}" if why else "")
    if isinstance(lost, int) and lost > 0:
        yield f"{lost:,} probes were sent, but could not be written down: is the disk full?"


def _of_the_holes(run: Run, probes: Probes, watched: Watched) -> list[str]:
    """For how long nobody looked; one line for each figure."""
    outage, edges = watched.outage, edges_of(watched.outage)
    holes, _ = holes_of(probes, watched.since_us, watched.until_us, outage)
    if probes and holes:
        at_edge = next((hole for hole in holes if any(overlap(hole, edge) for edge in edges)), None)
        if at_edge is not None:
            return [f"the generator sent nothing for {milliseconds(at_edge)} ms at an edge of the {watched.name}"]
        longest = max(holes, key=milliseconds)
        at_s = (longest[0] - watched.since_us) / 1e6
        return [
            f"the generator sent nothing for {milliseconds(longest)} ms, {at_s:.1f} s into the time that the "
            f"{watched.name} was looked for in: whatever happened then was not seen"
        ]
    if outage.early_us > BOUND_SHARE * outage.duration_us:
        unsent = _unsent(run)
        if any(overlap(gap, edge) for edge in edges for gap in unsent):
            share = outage.early_us / outage.duration_us
            return [f"slots that the generator left out make the bound {share:.0%} of the {watched.name}"]
    return []


def _unsent(run: Run) -> list[Interval]:
    """The slots of the fresh stream that were given up, as [from, to) of their due times."""
    gaps = accounts_of(run.generator).get("fresh", {}).get("gaps")
    return [(int(gap[0]), int(gap[1])) for gap in gaps] if isinstance(gaps, list) else []


def _of_the_budget(run: Run, result: BudgetResult, outage: Outage | None) -> Iterator[str]:
    """No witness; or one that was sent home before anything could be seen."""
    if result.passed is None:
        yield f"budget {result.budget}: {result.note or 'the run has no witness for it'}"
    names = _CUT_SHORT.get(result.budget.name)
    if names is not None and outage is not None and outage.kind is OutageKind.NONE:
        for text in run.truncated:
            if text.startswith(names):
                yield f"budget {result.budget}: no probe was impaired, but {text}: it may have come later"


def _of_the_outage(run: Run, outage: Outage) -> Iterator[str]:
    read_ms = run.settings.get("timeout_read_ms")
    if outage.gaps and isinstance(read_ms, int | float) and read_ms * 1000 > outage.duration_us:
        yield (
            f"the probes' read time-out ({read_ms:g} ms) exceeds the outage: "
            "what hangs is answered late, so failures and the loss-derived figure are too low"
        )
    if outage.longest_stray_us > outage.duration_us:
        yield (
            f"a later gap of {outage.longest_stray_us / 1000:.0f} ms is longer than the outage: "
            "it came after a clean window, and counts in the budget"
        )


def _of_the_rate(run: Run, population: Population) -> Iterator[str]:
    baseline, rate = population.by_phase.get(PhaseName.BASELINE), run.settings.get("probe_rate")
    kept = run.settings.get("kept_rate")
    asked = sum(value for value in (rate, kept) if isinstance(value, int | float))
    if baseline is not None and baseline.rate is not None and asked:
        deviation = baseline.rate / asked - 1
        if abs(deviation) >= GATE_SHARE:
            yield (
                f"the baseline's rate was {deviation:+.1%} off the {asked:g}/s asked for "
                "(RFC 9411 section 7.3.3.3 allows less than 5 %)"
            )
    if baseline is not None and baseline.late:
        yield f"{baseline.late} probes came late in the baseline, before the fault"


def _of_the_lag(run: Run, probes: Probes, watched: Sequence[Watched]) -> Iterator[str]:
    p99 = run.generator.get("lag_p99_ms")
    if isinstance(p99, int | float) and p99 > LAG_MS:
        yield f"probes were sent late (99th percentile {p99:.1f} ms): the client's machine was busy"
    for one in watched:
        _, small = holes_of(probes, one.since_us, one.until_us, one.outage)
        if probes and small:
            longest = milliseconds(max(small, key=milliseconds))
            yield (
                f"{one.name}: nothing was sent for up to {longest} ms (more than {HOLE_INTERVALS} intervals): "
                "what was shorter than that may not have been seen"
            )


def _of_the_journal(data: RunData) -> Iterator[str]:
    """What was warned about while the run went on; that the victim itself fell silent is the fault."""
    fault, fired_us = data.run.fault, data.run.plan.fired_from_us
    for point in data.points:
        if point.measurement != EVENT or point.tags.get("kind") != "warning":
            continue
        of_victim = fault is not None and point.tags.get("node") == fault.victim
        if not (of_victim and fired_us is not None and point.time_ns // 1000 >= fired_us):
            yield str(point.fields.get("text", ""))
