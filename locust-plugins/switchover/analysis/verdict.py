"""The verdict on a run: what happened, what was counted, and what follows: the budgets, the word, the reasons."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from switchover.analysis.budget import Budget, BudgetName, parse_budget, with_defaults
from switchover.analysis.budget_result import BudgetResult, Measured, State, figure_text, limit_text
from switchover.analysis.change_reasons import change_reasons, change_warnings
from switchover.analysis.effect import Effect, Evidence, look_for_effect
from switchover.analysis.events import Events, Watched, find_events
from switchover.analysis.fault_reasons import fault_reasons
from switchover.analysis.figures import Figures, take_figures
from switchover.analysis.flaws import JOURNAL_STEM, PROBES_STEM, SAMPLES_STEM, why_flawed, why_unsealed
from switchover.analysis.machine import MachineSecond, name_cause
from switchover.analysis.most_failed import most_failed
from switchover.analysis.nodes import nodes_with
from switchover.analysis.outage import Outage
from switchover.analysis.phases import PhaseName, phase_sql
from switchover.analysis.probes import Probes, is_hole, tolerated_us, unseen_near
from switchover.analysis.reason import Figure, Reason, ReasonCode
from switchover.analysis.run_data import RunData
from switchover.analysis.trust import reasons_of, truncated_of, warnings_of
from switchover.analysis.wholeness import Wholeness, look_at_pair, pair_warnings
from switchover.analysis.word import Word, loudest
from switchover.rundir.run_directory import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a run measured, and what follows from it."""

    events: Events
    figures: Figures
    effect: Effect | None
    """None: no fault was fired."""
    wholeness: Wholeness | None
    """None: nothing was healed, or too late to look at the pair afterwards."""
    budgets: tuple[BudgetResult, ...]
    reasons: tuple[Reason, ...]
    """Why the word is no better; empty where it is PASSED, MEASURED or REHEARSED."""
    warnings: tuple[str, ...]

    @property
    def run(self) -> Run:
        return self.events.run

    @property
    def recovered(self) -> bool:
        """As far as the probes saw, the service was back, and stayed, after the fault and after its heal."""
        return all(one.outage.recovered for one in self.events.watched)

    @property
    def distrust(self) -> tuple[Reason, ...]:
        """Why a figure may be wrong, or be one of something else than the plan says."""
        return tuple(reason for reason in self.reasons if _is_distrust(reason.word))

    @property
    def trusted(self) -> bool:
        return not self.distrust

    @property
    def is_less_sharp(self) -> bool:
        """The probes stood still for longer than is usual: what an outage, or none, is known to is coarser."""
        outages = [one.outage for one in self.events.watched]
        return any(outage.resolution_us > tolerated_us(outage.interval_us) for outage in outages)

    @property
    def word(self) -> Word:
        """The loudest of what the reasons say. Without a reason: what was asked of the run."""
        if self.run.rehearsed:
            fine = Word.REHEARSED
        else:
            fine = Word.PASSED if any(not result.budget.default for result in self.budgets) else Word.MEASURED
        return loudest({reason.word for reason in self.reasons}, fine)

    @property
    def exit_code(self) -> int:
        return self.word.exit_code


def _is_distrust(word: Word) -> bool:
    return word.exit_code == 2 and word is not Word.UNDECIDED


def budgets_of(run: Run) -> list[Budget]:
    """The budgets that were asked for when the run was started."""
    return list(map(parse_budget, run.settings.budgets))


def judge(data: RunData, budgets: Sequence[Budget] | None = None) -> Verdict:
    """Every figure of a run, and the budgets against it: those given, or else those that the run was started with."""
    events = find_events(data)
    figures = take_figures(data, events)
    results = _hold_budgets(budgets_of(data.run) if budgets is None else list(budgets), data, events, figures)
    effect, wholeness = _look_at_fault(data, events)
    reasons = [
        *fault_reasons(data.run, effect, wholeness, data.points),
        *change_reasons(data, events, figures.changes),
        *reasons_of(data, events, figures, results),
        *_not_recovered(events.watched),
        *_not_kept(results, events, figures, data),
    ]
    return Verdict(
        events=events,
        figures=figures,
        effect=effect,
        wholeness=wholeness,
        budgets=results,
        reasons=tuple(reasons),
        warnings=(
            *warnings_of(data, events, figures),
            *change_warnings(figures.changes),
            *pair_warnings(data.run, wholeness),
        ),
    )


def _hold_budgets(asked: list[Budget], data: RunData, events: Events, figures: Figures) -> tuple[BudgetResult, ...]:
    """Compares the budgets that were asked for, and the default ones, with the figures."""
    run, balancers, reconciliation = data.run, events.balancers, figures.reconciliation
    chosen = with_defaults(
        asked,
        split_brain_witnessed=figures.split_brain is not None
        or (len(balancers) > 1 and set(balancers) <= set(nodes_with(run, "vip_owner"))),
        exclusive=reconciliation.unexplained is not None
        or (reconciliation.exclusive and bool(nodes_with(run, "haproxy"))),
    )
    unread = data.lost_rows.get("samples" if figures.samples else "probes", 0)
    measured = Measured(events, figures, unread, truncated_of(run), _lost_figures(data, figures))
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
        lost.setdefault(BudgetName.UNEXPLAINED, Reason(ReasonCode.PART_MISSING, {"name": data.missing[0]}).text)
    if why := why_unsealed(data.unsealed, figures.reconciliation):
        lost.setdefault(BudgetName.UNEXPLAINED, why)
    return lost


def _look_at_fault(data: RunData, events: Events) -> tuple[Effect | None, Wholeness | None]:
    """A file that is not whole shows neither: what it does not tell may have been cut out of it."""
    fault = events.run.fault
    if fault is None or fault.kind == "none" or not events.is_fired or data.flaws:
        return None, None
    return look_for_effect(Evidence(events)), look_at_pair(events)


def _not_recovered(watched: Sequence[Watched]) -> Iterator[Reason]:
    for one in watched:
        if not one.outage.recovered:
            low_ms = int(one.outage.length.low) // 1000
            yield Reason(ReasonCode.NOT_RECOVERED, {"figure": one.name, "low_ms": low_ms})


def _not_kept(results: Sequence[BudgetResult], events: Events, taken: Figures, data: RunData) -> Iterator[Reason]:
    """Broken and undecided budgets, each with its figure: of failed requests the most common, and of an undecided
    outage the hole that made it so."""
    codes = {State.BROKEN: ReasonCode.BUDGET_BROKEN, State.UNDECIDED: ReasonCode.BUDGET_UNDECIDED}
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
            yield Reason(codes[result.state], figures)


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
            return most_failed(data.patient.rows, f"change IN ({numbers})")
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
