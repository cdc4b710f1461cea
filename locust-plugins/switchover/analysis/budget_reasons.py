"""Reasons about the service and its budgets: it did not recover, or one has no witness, is broken or undecided."""

from collections.abc import Iterator, Sequence

from switchover.analysis.budget import BudgetName
from switchover.analysis.budget_result import BudgetResult, State, figure_text, limit_text
from switchover.analysis.events import Events, Watched
from switchover.analysis.figures import Figures
from switchover.analysis.machine import MachineSecond, name_cause
from switchover.analysis.most_failed import most_failed
from switchover.analysis.outage import Outage
from switchover.analysis.phases import PhaseName, phase_sql
from switchover.analysis.probes import Probes, is_hole, unseen_near
from switchover.analysis.run_data import RunData
from switchover.verdict.reasons import make_reason
from switchover.verdict.record import Figure, Reason


def budget_reasons(
    data: RunData, events: Events, figures: Figures, results: Sequence[BudgetResult]
) -> Iterator[Reason]:
    for result in results:
        if result.state is State.UNMEASURED:
            why = result.note or "the run has no witness for it"
            yield make_reason("budget_unmeasured", budget=str(result.budget), why=why)
    yield from _not_recovered(events.watched)
    for one in figures.whole_silences:
        if not one.recovered:
            away: dict[str, Figure] = {"figure": one.file or "log", "low_ms": int(one.figure.low) // 1000}
            yield make_reason("not_recovered", **away)
    yield from _not_kept(results, events, figures, data)


def _not_recovered(watched: Sequence[Watched]) -> Iterator[Reason]:
    for one in watched:
        if not one.outage.recovered:
            figures: dict[str, Figure] = {"figure": one.name, "low_ms": one.outage.away_at_end_us // 1000}
            yield make_reason("not_recovered", **figures)


def _not_kept(results: Sequence[BudgetResult], events: Events, taken: Figures, data: RunData) -> Iterator[Reason]:
    """Broken and undecided budgets, each with its figure: of failed requests the most common, and of an undecided
    outage the hole that made it so."""
    codes = {State.BROKEN: "budget_broken", State.UNDECIDED: "budget_undecided"}
    for result in results:
        if result.state in codes:
            why = "; ".join(filter(None, (result.note, _most_failed(result.budget.name, events, taken, data))))
            figures: dict[str, Figure] = {
                "budget": str(result.budget),
                "figure": f"{result.budget.name} {figure_text(result)}",
                "limit": limit_text(result.budget),
                "why": f" ({why})" if why else "",
            }
            outages = [one.outage for one in events.watched if one.budget is result.budget.name]
            if result.state is State.UNDECIDED and outages and not result.note:
                figures |= _hole_in_doubt(outages[0], events.fresh, events.machine)
            yield make_reason(codes[result.state], **figures)


def _most_failed(name: BudgetName, events: Events, taken: Figures, data: RunData) -> str:
    """Of the requests that a budget counts; empty where it counts no failed ones."""
    requests = data.samples or data.probes
    match name:
        case BudgetName.FAILED:
            return most_failed(requests, f"{phase_sql(events.phases)} = '{PhaseName.SWITCHOVER}'")
        case BudgetName.FAILED_TOTAL:
            return most_failed(requests)
        case BudgetName.LOST if data.patient is not None and taken.changes is not None:
            numbers = ", ".join(str(change.number) for change in taken.changes.made)
            return most_failed(data.patient, f"change IN ({numbers})")
    return ""


def _hole_in_doubt(outage: Outage, probes: Probes, machine: Sequence[MachineSecond]) -> dict[str, Figure]:
    """Why an outage is no sharper: the longest time without a probe at one of its edges, or the one that was longer
    than all that was seen. Nothing where the probes kept their schedule."""
    if outage.resolution_us > outage.duration_us:
        hole = outage.unseen
    elif outage.longest_stray_us > outage.duration_us:
        return {}
    else:
        hole = max((unseen_near(probes, edge) for edge in outage.edges), key=lambda one: one.duration_us)
    if not is_hole(hole, outage.interval_us):
        return {}
    still: dict[str, Figure] = {"why": f"; the probes stood still for {round(hole.duration_us / 1000):,} ms"}
    return still | name_cause(machine, hole)
