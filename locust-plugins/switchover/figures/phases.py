"""The phases of a run, and SQL for the phase of a request."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from switchover.figures.outage import STABILITY_WINDOW_US, Outage
from switchover.rundir.run_directory import Plan
from switchover.verdict.record import OutageKind
from switchover.verdict.record import PhaseName as PhaseName


class Phase(NamedTuple):
    """A part of the run, from its first microsecond up to the first microsecond of the next phase."""

    name: PhaseName
    from_us: int
    to_us: int

    @property
    def seconds(self) -> float:
        return (self.to_us - self.from_us) / 1e6

    def within(self, first_us: int, last_us: int) -> "Phase":
        from_us, to_us = (min(max(at_us, first_us), last_us) for at_us in (self.from_us, self.to_us))
        return Phase(self.name, from_us, to_us)


def phases_of(
    plan: Plan, outage: Outage | None, failback: Outage | None, begun_us: int | None = None
) -> tuple[Phase, ...]:
    """Return the phases of the run. A run without a fault has only the phase `baseline`. `begun_us`: the time when
    the first request was due. If no probe was impaired, switchover and failback last one stability window. Without
    probes (`outage` is None), switchover and failback last until the next planned event."""
    if plan.start_us is None or plan.end_us is None:
        return ()
    baseline_end_us = plan.end_us if plan.fired_from_us is None else plan.fired_from_us
    start_us = min(max(plan.start_us, begun_us or 0), baseline_end_us)
    if plan.fired_from_us is None:
        return (Phase(PhaseName.BASELINE, start_us, plan.end_us),)
    healed_us = plan.healed_in_time_us
    horizon_us = plan.end_us if healed_us is None else healed_us
    edges = [start_us, plan.fired_from_us, clean_at_us(outage, plan.fired_from_us, horizon_us), horizon_us]
    if healed_us is not None:
        edges += [clean_at_us(failback, healed_us, plan.end_us), plan.end_us]
    return tuple(
        Phase(name, from_us, to_us) for name, (from_us, to_us) in zip(PhaseName, pairwise(edges), strict=False)
    )


def clean_at_us(outage: Outage | None, since_us: int, horizon_us: int) -> int:
    """Return the time when the service recovered after a fault or heal. Without a recovery or without probes, return
    `horizon_us`."""
    if outage is None:
        return horizon_us
    if outage.kind is OutageKind.NONE:
        return min(since_us + STABILITY_WINDOW_US, horizon_us)
    if outage.censored or outage.to_us is None:
        return horizon_us
    return max(since_us, min(outage.to_us, horizon_us))


def phase_sql(phases: Sequence[Phase]) -> str:
    """Return SQL for the name of the phase of a request. A request that overlaps the switchover belongs to the
    switchover. Otherwise, a request that overlaps the failback belongs to the failback. All other requests belong to
    the phase in which the request started."""
    overlaps = [
        f"WHEN start_us < {phase.to_us} AND end_us >= {phase.from_us} THEN '{phase.name}'"
        for phase in phases
        if phase.name in (PhaseName.SWITCHOVER, PhaseName.FAILBACK)
    ]
    starts = [f"WHEN start_us >= {phase.from_us} THEN '{phase.name}'" for phase in reversed(phases[1:])]
    chosen = " ".join([*overlaps, *starts])
    return f"CASE {chosen} ELSE '{PhaseName.BASELINE}' END" if chosen else f"'{PhaseName.BASELINE}'"
