"""The verdict on a run: what happened, what was counted, and what follows: the budgets, the word, the reasons."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from switchover.analysis.budget import Budget
from switchover.analysis.budget_reasons import budget_reasons
from switchover.analysis.budget_result import BudgetResult
from switchover.analysis.change_reasons import change_reasons
from switchover.analysis.effect import Effect, Evidence, look_for_effect, restart_seen
from switchover.analysis.events import Events, find_events
from switchover.analysis.fault_reasons import fault_reasons
from switchover.analysis.figures import Figures, take_figures
from switchover.analysis.held_budgets import budgets_of, hold_budgets
from switchover.analysis.observed_start import with_observed_start
from switchover.analysis.probes import tolerated_us
from switchover.analysis.run_data import RunData
from switchover.analysis.trust import trust_reasons
from switchover.analysis.warning_texts import list_warnings
from switchover.analysis.wholeness import Wholeness, look_at_pair
from switchover.analysis.word import Word, loudest
from switchover.rundir.run_directory import Run
from switchover.verdict.reasons import word_of
from switchover.verdict.record import Reason


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
        return tuple(one for one in self.reasons if (word := word_of(one)).exit_code == 2 and word != Word.UNDECIDED)

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
        return loudest({word_of(reason) for reason in self.reasons}, fine)

    @property
    def exit_code(self) -> int:
        return self.word.exit_code


def judge(data: RunData, budgets: Sequence[Budget] | None = None) -> Verdict:
    """Every figure of a run, and the budgets against it: those given, or else those that the run was started with."""
    data = with_observed_start(data)
    events = find_events(data)
    figures = take_figures(data, events)
    results = hold_budgets(budgets_of(data.run) if budgets is None else budgets, data, events, figures)
    # What files that are not whole do not tell of the fault may have been cut out of them.
    is_shown = data.run.fired_fault is not None and not data.flaws
    effect = look_for_effect(Evidence(events)) if is_shown else None
    wholeness = look_at_pair(events) if is_shown else None
    restart = restart_seen(events) if is_shown else None
    if restart is not None:
        figures = replace(figures, prediction=None)  # the prediction is of a balancer that stays down
    return Verdict(
        events=events,
        figures=figures,
        effect=effect,
        wholeness=wholeness,
        budgets=results,
        reasons=(
            *fault_reasons(data.run, effect, wholeness, data.points, restart),
            *change_reasons(data, events, figures.changes),
            *trust_reasons(data, events, figures, results),
            *budget_reasons(data, events, figures, results),
        ),
        warnings=(*([restart] if restart else []), *list_warnings(data, events, figures, wholeness)),
    )
