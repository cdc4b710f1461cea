"""The budgets of a run against its figures: those asked for, and those that always hold."""

from collections.abc import Sequence

from switchover.analysis.budget import Budget, BudgetName, parse_budget, with_defaults
from switchover.analysis.budget_result import BudgetResult, Measured
from switchover.analysis.events import Events
from switchover.analysis.figures import Figures
from switchover.analysis.flaws import JOURNAL_STEM, PROBES_STEM, SAMPLES_STEM, why_flawed, why_unsealed
from switchover.analysis.nodes import nodes_with
from switchover.analysis.run_data import RunData
from switchover.faults.mechanisms.network import NODE_DOWN
from switchover.rundir.run_directory import Run
from switchover.verdict.reasons import make_reason

_LOOKED_AT_BY = {"hold": BudgetName.OUTAGE, "recover": BudgetName.FAILBACK}
"""By the phase that may be cut short: the budget that looks at it."""


def budgets_of(run: Run) -> list[Budget]:
    """The budgets that were asked for when the run was started."""
    return list(map(parse_budget, run.settings.budgets))


def hold_budgets(
    asked: Sequence[Budget], data: RunData, events: Events, figures: Figures
) -> tuple[BudgetResult, ...]:
    measured = Measured(
        events=events,
        figures=figures,
        unread=data.lost_rows.get("samples" if figures.samples else "probes", 0),
        truncated={_LOOKED_AT_BY[cut.phase]: cut.text for cut in data.run.truncated},
        lost=_lost_figures(data, figures),
    )
    balancers, reconciliation = events.balancers, figures.reconciliation
    # It takes a node from the network, and may take the way to what witnesses it.
    is_cut_off = data.run.fault is not None and data.run.fault.name == NODE_DOWN
    chosen = with_defaults(
        list(asked),
        split_brain_witnessed=figures.split_brain is not None
        or (len(balancers) > 1 and set(balancers) <= set(nodes_with(data.run, "vip_owner")) and not is_cut_off),
        exclusive=reconciliation.unexplained is not None
        or (reconciliation.exclusive and bool(nodes_with(data.run, "haproxy")) and not data.run.keeps_connections),
    )
    return tuple(measured.judge(budget) for budget in chosen)


def _lost_figures(data: RunData, figures: Figures) -> dict[BudgetName, str]:
    """What a budget is about that cannot be measured, because a file of its witness is not whole; and why not."""
    stems = {
        BudgetName.OUTAGE: (PROBES_STEM,),
        BudgetName.FAILBACK: (PROBES_STEM,),
        BudgetName.SPLIT_BRAIN: (JOURNAL_STEM,),
        **dict.fromkeys((BudgetName.UNEXPLAINED, BudgetName.LOST, BudgetName.LOSSY, BudgetName.DELAY), ("",)),
    }
    of_requests = (SAMPLES_STEM if figures.samples or data.run.workers else PROBES_STEM,)
    lost = {name: why for name in BudgetName if (why := why_flawed(data.flaws, *stems.get(name, of_requests)))}
    if data.missing:  # its requests were counted by the balancers, too
        lost.setdefault(BudgetName.UNEXPLAINED, make_reason("part_missing", name=data.missing[0]).text)
    if why := why_unsealed(data.unsealed, figures.reconciliation):
        lost.setdefault(BudgetName.UNEXPLAINED, why)
    return lost
