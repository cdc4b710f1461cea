"""The conductor of a run, as a greenlet sees it: it takes seconds to start, and a greenlet may not live that long."""

from collections.abc import Sequence
from pathlib import Path

import gevent

from switchover.drill.remote import Conductor, ConductSpec
from switchover.locust.options import Options
from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError


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
        last_one=options.last_one,
        rehearse=options.rehearse,
        fault_at_s=options.fault_at_s,
        heal_at_s=options.heal_at_s,
        budgets=options.budgets,
        probe_rate=unprobed if options.probe_rate is None else options.probe_rate,
        kept_rate=options.kept_rate,
        late_s=options.late_s,
        scrape_s=options.scrape_s,
        influx=options.influx,
        influx_wait_s=options.influx_wait_s,
        command=tuple(command),
    )


def start_conductor(spec: ConductSpec, clock: Clock) -> Conductor:
    """Wait until it is ready; SwitchoverError if it refuses.

    Where this greenlet is killed meanwhile, as when somebody stops a test that is about to start, nobody will want
    the conductor any more.
    """
    starting = gevent.spawn(_started, spec, clock)
    try:
        found: Conductor | SwitchoverError = starting.get()
    except gevent.GreenletExit:
        starting.link(_abandon)
        raise
    if isinstance(found, SwitchoverError):
        raise found
    return found


def _started(spec: ConductSpec, clock: Clock) -> Conductor | SwitchoverError:
    """An error is a value here: one that a greenlet raises is printed, whoever else catches it."""
    try:
        return Conductor.start(spec, clock)
    except SwitchoverError as error:
        return error


def _abandon(started: gevent.Greenlet) -> None:
    if isinstance(started.value, Conductor):
        started.value.abandon()
