"""The events of a run: the planned events with their times, and the observations of probes and other sources."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from switchover.evidence.flaws import PROBES_STEM, why_flawed
from switchover.evidence.machine import MachineSecond, machine_seconds
from switchover.evidence.node_life import NodeLife, node_lives
from switchover.evidence.nodes import balancers_of, clock_bounds
from switchover.evidence.ownership import Ownership, ownership_of
from switchover.evidence.requests.table import Requests
from switchover.evidence.run_data import RunData
from switchover.figures.outage import STABILITY_WINDOW_US, Outage, measure_outage
from switchover.figures.phases import Phase, phases_of
from switchover.figures.probes import Probes, is_probed, probes_of
from switchover.figures.timeline import latest_stamp_us, timeline
from switchover.rundir.run_directory import EXTERNAL, Run
from switchover.verdict.record import LimitName, Row


class Watched(NamedTuple):
    """An outage or a failback, and the part of the run in which the probes measured this outage or failback."""

    limit: LimitName
    name: str
    event: str
    """The event at the start of this part of the run: `fault`, `heal` or `start`."""
    outage: Outage
    since_us: int
    until_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Events:
    run: Run
    fresh: Probes
    """The probes on new connections, in the order of sending."""
    requests: Requests
    """The requests: the probes as part 0, and the load as further parts."""
    since_us: int
    """The time of the fault. In a run without a fault, the start of the run."""
    horizon_us: int
    """The time of the heal. In a run without a heal, the end of the run."""
    end_us: int
    outage: Outage | None
    failback: Outage | None
    """The outage, and the outage at the failback. None: the run has no probes, or the file of probes is damaged.
    Without a heal, `failback` is also None."""
    phases: tuple[Phase, ...]
    ownership: Ownership
    lives: Mapping[str, NodeLife]
    """The results of the scrapes of each node."""
    balancers: tuple[str, ...]
    clocks: Mapping[str, int]
    """The error bound of each node's clock, in microseconds. Nodes with unknown clocks are absent."""
    timeline: list[Row]
    machine: tuple[MachineSecond, ...]
    """The counters of the machine that ran the test, for each second; empty if the counters were not recorded."""

    @property
    def is_fired(self) -> bool:
        return self.run.plan.fired_from_us is not None

    @property
    def is_load_alone(self) -> bool:
        return not is_probed(self.run) and not self.is_fired

    @property
    def watched(self) -> tuple[Watched, ...]:
        measured = []
        if self.outage is not None:
            name, event = ("outage", "fault") if self.is_fired else ("run", "start")
            measured.append(Watched(LimitName.OUTAGE, name, event, self.outage, self.since_us, self.horizon_us))
        if self.failback is not None:
            measured.append(
                Watched(LimitName.FAILBACK, "failback", "heal", self.failback, self.horizon_us, self.end_us)
            )
        return tuple(measured)

    @property
    def owners_bound_us(self) -> int | None:
        """The largest possible error between the times of two ownership sources, in microseconds; None: unknown."""
        if not self.balancers or not self.clocks.keys() >= set(self.balancers):
            return None
        clocks_us = 2 * max(self.clocks[node] for node in self.balancers)
        return max(clocks_us, latest_stamp_us(self.timeline))


def find_events(data: RunData) -> Events:
    """Find the events of a run. If the fault is external, call `with_observed_start` before this function."""
    run, plan, late_us = data.run, data.run.plan, data.run.settings.late_us
    fresh = probes_of(data.probes, late_us)
    end_us = plan.end_us or (int(fresh.ends.max()) if fresh else 0)
    since_us = plan.fired_from_us or plan.start_us or 0
    horizon_us = plan.heal_from_us or end_us
    probes_are_whole = not why_flawed(data.flaws, PROBES_STEM)
    outage, failback = _outages(run, fresh, since_us, horizon_us, end_us) if probes_are_whole else (None, None)
    requests, ownership = data.requests, ownership_of(data.points)
    balancers, clocks = tuple(balancers_of(run)), clock_bounds(run.clocks)
    load_clock_us = max((worker.bound_us or 0 for worker in run.workers), default=0)
    return Events(
        run=run,
        fresh=fresh,
        requests=requests,
        since_us=since_us,
        horizon_us=horizon_us,
        end_us=end_us,
        outage=outage,
        failback=failback,
        phases=phases_of(plan, outage, failback, run.generator.first_due_us),
        ownership=ownership,
        lives=node_lives(data.points),
        balancers=balancers,
        clocks=clocks,
        timeline=timeline(plan, run.fault, outage, requests, ownership, data.points, clocks, late_us, load_clock_us),
        machine=tuple(machine_seconds(data.points)),
    )


def _outages(
    run: Run, fresh: Probes, since_us: int, horizon_us: int, end_us: int
) -> tuple[Outage | None, Outage | None]:
    if not is_probed(run) or not fresh:
        return None, None
    plan, rate = run.plan, run.settings.probe_rate or None
    begun_us = None
    if plan.fired_from_us is None:
        begun_us = run.generator.first_due_us
        begun_us = int(fresh.starts[0]) if begun_us is None else begun_us
    outage = measure_outage(
        fresh,
        since_us=since_us,
        horizon_us=horizon_us,
        rate=rate,
        next_event=plan.heal_from_us is not None,
        seen_from_us=begun_us,
        usual_before_us=next((change.from_us for change in plan.made_changes), None),
    )
    if plan.healed_in_time_us is None:
        return outage, None
    return outage, measure_outage(fresh, since_us=horizon_us, horizon_us=end_us, rate=rate, next_event=False)


def with_observed_start(data: RunData) -> RunData:
    """Replace the time of an external fault, as marked by the user, with the start that the probes observed."""
    run, mark_us = data.run, data.run.plan.fired_from_us
    if mark_us is None or run.fault is None or run.fault.kind != EXTERNAL:
        return data
    observed = observed_start(probes_of(data.probes, run.settings.late_us), mark_us)
    if observed is None:
        return data
    plan = replace(run.plan, fired_from_us=observed[0], fired_to_us=observed[1])
    return replace(data, run=replace(run, plan=plan))


def observed_start(probes: Probes, mark_us: int) -> tuple[int, int] | None:
    """Return the earliest and the latest possible start of an external fault. `mark_us`: the time when the user
    marked the fault. The earliest start is the end of the last response before the fault's first failed probe. The
    latest start is the end of this failed probe, or `mark_us` if the mark is earlier. A failed probe belongs to the
    fault if there is no stability window between the probe and the mark. None: no failed probe belongs to the
    fault."""
    bad = np.flatnonzero(probes.failed & (probes.starts < mark_us))
    if not len(bad):
        return None
    pauses_us = np.append(probes.starts[bad[1:]], mark_us) - probes.ends[bad]
    clean = np.flatnonzero(pauses_us > STABILITY_WINDOW_US)
    first = int(clean[-1]) + 1 if len(clean) else 0
    if first == len(bad):
        return None
    first_start_us, first_end_us = int(probes.starts[bad[first]]), int(probes.ends[bad[first]])
    before = probes.ends[(probes.good | probes.late) & (probes.ends <= first_start_us)]
    return int(before.max()) if len(before) else first_start_us, min(first_end_us, mark_us)
