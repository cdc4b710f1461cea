"""The warnings of a run: important facts that do not make the figures invalid."""

from collections.abc import Iterator
from math import ceil

from switchover.evidence.run_data import RunData
from switchover.figures.events import Events
from switchover.figures.figures import Figures
from switchover.figures.outage import Outage
from switchover.rundir.measurements import EVENT
from switchover.rundir.run_directory import Run
from switchover.verdict.record import Population, Restoration

LAG_MS = 1.5
"""A 99th percentile of the send delay above this number of milliseconds causes a warning."""
RESTORATION_UNKNOWN = "the state of the pair after the heal is unknown: no telemetry from 5 s after the heal"


def list_warnings(
    data: RunData, events: Events, figures: Figures, restoration: Restoration | None
) -> tuple[str, ...]:
    run, population, changes = data.run, figures.probes, figures.changes
    warnings = [*run.warnings, *(cut.text for cut in run.truncated)]
    if events.outage is not None:
        warnings += _outage_warnings(run, events.outage)
    if population is not None:
        warnings += _prober_warnings(run, population)
    ignored = sum(data.ignored.values())
    if ignored:
        warnings.append(f"{ignored} lines of the run directory could not be read")
    warnings += _journal_warnings(data)
    if changes is not None and changes.generator_errors:
        warnings.append(
            f"{changes.generator_errors:,} requests of the held connections failed because this machine had no free "
            "port or descriptor, or was delayed"
        )
    warnings += _unsent_warnings(figures.samples)
    is_known = restoration is not None and restoration.whole is not None
    if run.fired_fault is not None and run.plan.healed_us is not None and not is_known:
        warnings.append(RESTORATION_UNKNOWN)
    return tuple(dict.fromkeys(warnings))


def _outage_warnings(run: Run, outage: Outage) -> Iterator[str]:
    read_ms = run.settings.timeout_read_ms
    if outage.gaps and read_ms is not None and read_ms * 1000 > outage.duration_us:
        yield (
            f"the read timeout of the probes ({read_ms:g} ms) is longer than the outage: hung requests get late "
            "responses, so the number of failures and the loss-derived outage are too low"
        )


def _unsent_warnings(samples: Population | None) -> Iterator[str]:
    """Warn about unsent requests. The end of the test aborts one request of each user."""
    if samples is not None:
        users = max((counts.users or 0.0 for counts in samples.by_phase.values()), default=0.0)
        if samples.unsent > ceil(users):
            yield f"{samples.unsent:,} requests were not sent, or were aborted by the load generator"


def _prober_warnings(run: Run, population: Population) -> Iterator[str]:
    p99 = run.generator.lag_p99_ms
    if p99 is not None and p99 > LAG_MS:
        scheduling = ", and the prober had no real-time scheduling" if run.generator.realtime is False else ""
        yield f"probes were sent late (99th percentile {p99:.1f} ms): the client machine was busy{scheduling}"
    if population.unsent:
        yield f"{population.unsent} probes could not be sent: the client machine had no free ports or descriptors"


def _journal_warnings(data: RunData) -> Iterator[str]:
    """Yield the warnings in the journal, except warnings about the victim after the fault, which are expected."""
    fault, fired_us = data.run.fault, data.run.plan.fired_from_us
    for point in data.points:
        if point.measurement != EVENT or point.tags.get("kind") != "warning":
            continue
        is_of_victim = fault is not None and point.tags.get("node") == fault.victim
        if not (is_of_victim and fired_us is not None and point.time_ns // 1000 >= fired_us):
            yield str(point.fields.get("text", ""))
