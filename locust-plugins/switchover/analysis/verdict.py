"""The verdict on a run: what happened, what was counted, and what follows: the limits, the word, the reasons."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from switchover.analysis.change_reasons import change_reasons
from switchover.analysis.confirmation import Confirmation, Evidence, look_for_confirmation, restart_seen
from switchover.analysis.events import Events, find_events
from switchover.analysis.fault_reasons import fault_reasons
from switchover.analysis.figures import Figures, take_figures
from switchover.analysis.held_limits import hold_limits, limits_of
from switchover.analysis.limit import Limit
from switchover.analysis.limit_reasons import limit_reasons
from switchover.analysis.limit_result import LimitResult
from switchover.analysis.observed_start import with_observed_start
from switchover.analysis.probes import tolerated_us
from switchover.analysis.restoration import Restoration, look_at_pair
from switchover.analysis.run_data import RunData
from switchover.analysis.status import Status, loudest
from switchover.analysis.trust import trust_reasons
from switchover.analysis.warning_texts import list_warnings
from switchover.rundir.run_directory import Run
from switchover.verdict.reasons import word_of
from switchover.verdict.record import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a run measured, and what follows from it."""

    events: Events
    figures: Figures
    confirmation: Confirmation | None
    """None: no fault was fired."""
    restoration: Restoration | None
    """None: nothing was healed, or too late to look at the pair afterwards."""
    limits: tuple[LimitResult, ...]
    reasons: tuple[Reason, ...]
    """Why the word is no better; empty where it is PASSED, MEASURED or DRY RUN."""
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
        return tuple(
            one for one in self.reasons if (status := word_of(one)).exit_code == 2 and status != Status.INCONCLUSIVE
        )

    @property
    def valid(self) -> bool:
        return not self.distrust

    @property
    def is_less_sharp(self) -> bool:
        """The probes stood still for longer than is usual: what an outage, or none, is known to is coarser."""
        outages = [one.outage for one in self.events.watched]
        return any(outage.detection_limit_us > tolerated_us(outage.interval_us) for outage in outages)

    @property
    def status(self) -> Status:
        """The loudest of what the reasons say. Without a reason: what was asked of the run."""
        if self.run.dry_run:
            fine = Status.DRY_RUN
        else:
            fine = Status.PASSED if any(not result.limit.default for result in self.limits) else Status.MEASURED
        return loudest({word_of(reason) for reason in self.reasons}, fine)

    @property
    def exit_code(self) -> int:
        return self.status.exit_code


def judge(data: RunData, limits: Sequence[Limit] | None = None) -> Verdict:
    """Every figure of a run, and the limits against it: those given, or else those that the run was started with."""
    data = with_observed_start(data)
    events = find_events(data)
    figures = take_figures(data, events)
    results = hold_limits(limits_of(data.run) if limits is None else limits, data, events, figures)
    # What files that are not whole do not tell of the fault may have been cut out of them.
    is_shown = data.run.fired_fault is not None and not data.flaws
    confirmation = look_for_confirmation(Evidence(events)) if is_shown else None
    restoration = look_at_pair(events) if is_shown else None
    restart = restart_seen(events) if is_shown else None
    if restart is not None:
        figures = replace(figures, prediction=None)  # the prediction is of a balancer that stays down
    return Verdict(
        events=events,
        figures=figures,
        confirmation=confirmation,
        restoration=restoration,
        limits=results,
        reasons=(
            *fault_reasons(data.run, confirmation, restoration, data.points, restart),
            *change_reasons(data, events, figures.changes),
            *trust_reasons(data, events, figures, results),
            *limit_reasons(data, events, figures, results),
        ),
        warnings=(*([restart] if restart else []), *list_warnings(data, events, figures, restoration)),
    )
