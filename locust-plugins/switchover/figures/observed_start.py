"""When a fault began that somebody else fired: its mark may come later than the fault."""

from dataclasses import replace

import numpy as np

from switchover.evidence.run_data import RunData
from switchover.figures.outage import STABILITY_WINDOW_US
from switchover.figures.probes import Probes, probes_of
from switchover.rundir.run_directory import EXTERNAL


def with_observed_start(data: RunData) -> RunData:
    """The same run, whose external fault began before the first probe that failed by the time of the mark."""
    run, mark_us = data.run, data.run.plan.fired_from_us
    if mark_us is None or run.fault is None or run.fault.kind != EXTERNAL:
        return data
    observed = observed_start(probes_of(data.probes, run.settings.late_us), mark_us)
    if observed is None:
        return data
    plan = replace(run.plan, fired_from_us=observed[0], fired_to_us=observed[1])
    return replace(data, run=replace(run, plan=plan))


def observed_start(probes: Probes, mark_us: int) -> tuple[int, int] | None:
    """The fault lies between the last good answer before the first bad probe and that probe's end.

    None if no probe was bad at the mark: a bad probe belongs to the fault if no stability window lies in between.
    """
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
