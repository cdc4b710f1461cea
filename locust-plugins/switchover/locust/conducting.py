"""The conductor of a run: what it is told of the options, and its start from a greenlet that may be killed."""

from collections.abc import Sequence
from pathlib import Path

import gevent

from switchover.clock import Clock
from switchover.conduct import Conductor, ConductSpec
from switchover.locust.options import Options


def conduct_spec(
    options: Options, directory: Path, name: str, url: str | None, command: Sequence[str]
) -> ConductSpec:
    """`url`: where the load goes, for a run without a target file; nobody probes that unless a rate was given."""
    unprobed = 0.0 if options.target is None else None
    return ConductSpec(
        directory=directory,
        run=directory.name,
        name=name,
        target_file=options.target,
        url=url,
        fault=options.fault,
        arm=options.arm,
        fault_at_s=options.fault_at_s,
        heal_at_s=options.heal_at_s,
        budgets=options.budgets,
        probe_rate=unprobed if options.probe_rate is None else options.probe_rate,
        kept_rate=options.kept_rate,
        late_s=options.late_s,
        scrape_s=options.scrape_s,
        command=tuple(command),
    )


def start_conductor(spec: ConductSpec, clock: Clock) -> Conductor:
    """Raises SwitchoverError if it refuses. Where this greenlet is killed meanwhile (somebody stops a test that is
    about to start), the conductor ends too, as soon as it is there."""
    starting = gevent.spawn(Conductor.start, spec, clock)
    try:
        conductor: Conductor = starting.get()
    except gevent.GreenletExit:
        starting.link_value(lambda done: done.value.abandon())
        raise
    return conductor
