"""The warnings of a run: important facts that do not make the figures invalid."""

from collections.abc import Iterator
from math import ceil

from switchover.evidence.run_data import RunData
from switchover.figures.events import Events
from switchover.figures.figures import Figures
from switchover.rundir.measurements import EVENT
from switchover.rundir.run_directory import Run
from switchover.verdict.record import Population, Restoration

LAG_MS = 1.5
"""A 99th percentile of the send delay above this number of milliseconds causes a warning."""
RESTORATION_UNKNOWN = "the state of the pair after the heal is unknown: no telemetry from 5 s after the heal"


def list_warnings(
    data: RunData, events: Events, figures: Figures, restoration: Restoration | None
) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_warnings(data, events, figures, restoration)))


def _warnings(data: RunData, events: Events, figures: Figures, restoration: Restoration | None) -> Iterator[str]:
    run, outage, read_ms = data.run, events.outage, data.run.settings.timeout_read_ms
    yield from run.warnings
    yield from (cut.text for cut in run.truncated)
    if outage is not None and outage.gaps and read_ms is not None and read_ms * 1000 > outage.duration_us:
        yield (
            f"the read timeout of the probes ({read_ms:g} ms) is longer than the outage: hung requests get late "
            "responses, so the number of failures and the loss-derived outage are too low"
        )
    if figures.probes is not None:
        yield from _prober_warnings(run, figures.probes)
    ignored = sum(data.ignored.values())
    if ignored:
        yield f"{ignored} lines of the run directory could not be read"
    yield from _journal_warnings(data)
    if figures.changes is not None and figures.changes.generator_errors:
        yield (
            f"{figures.changes.generator_errors:,} requests of the held connections failed because this machine had "
            "no free port or descriptor, or was delayed"
        )
    if figures.samples is not None:
        # The end of the test aborts one request of each user.
        users = max((counts.users or 0.0 for counts in figures.samples.by_phase.values()), default=0.0)
        if figures.samples.unsent > ceil(users):
            yield f"{figures.samples.unsent:,} requests were not sent, or were aborted by the load generator"
    is_known = restoration is not None and restoration.whole is not None
    if run.fired_fault is not None and run.plan.healed_us is not None and not is_known:
        yield RESTORATION_UNKNOWN


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
