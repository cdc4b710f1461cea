"""Reasons why figures of a run may be wrong or too imprecise."""

from collections.abc import Iterator, Sequence

from switchover.evidence.flaws import PROBES_STEM, SAMPLES_STEM, why_flawed
from switchover.evidence.machine import MachineSecond, name_cause
from switchover.evidence.requests.columns import SENT
from switchover.evidence.requests.table import Requests
from switchover.evidence.run_data import RunData
from switchover.figures.events import Events, Watched
from switchover.figures.figures import Figures
from switchover.figures.phases import phase_sql
from switchover.figures.probes import PROBE_GAP_INTERVALS
from switchover.model.outcome import LATE_SHARE
from switchover.rundir.load_facts import LOST, RUNNING
from switchover.rundir.run_directory import Run
from switchover.verdict.fault_reasons import was_refused
from switchover.verdict.most_failed import most_failed
from switchover.verdict.reasons import because, make_reason
from switchover.verdict.record import Distribution, Figure, Limit, PhaseName, Population, Reason, State

LOAD_SHARE = 0.01
"""The largest share of the load's requests that may fail in the baseline."""
NONE_US = 1_000_000
"""The longest allowed probe gap, in microseconds, if no outage was measured."""
ALWAYS_SHARP_US = 100_000
"""A probe gap up to this length, in microseconds, never makes a figure invalid."""
WIDE_SHARE, WIDE_US = 0.25, 100_000
"""An interval is too wide if its width exceeds both `WIDE_SHARE` of the figure and `WIDE_US` microseconds."""


def trust_reasons(data: RunData, events: Events, figures: Figures, limits: Sequence[Limit]) -> Iterator[Reason]:
    run = data.run
    for flaw in data.flaws:
        yield flaw.reason
    if was_refused(run):
        return
    for name in data.missing:
        yield make_reason("part_missing", name=name)
    if figures.probes is not None:
        if not (why_flawed(data.flaws, PROBES_STEM) or any(name.startswith(PROBES_STEM) for name in data.missing)):
            if not events.fresh:
                yield make_reason("no_probe")
            # A run with changes has no fault, so the baseline is the whole run.
            if not run.plan.changes:
                yield from _baseline_reasons(figures.probes, data.probes, events)
        if run.generator.sent is None:
            yield make_reason("no_account", why=because(run.generator.warning))
        if run.generator.lost:
            yield make_reason("probes_lost", lost=run.generator.lost)
    if figures.samples is not None and events.is_fired and events.phases and not why_flawed(data.flaws, SAMPLES_STEM):
        yield from failed_before(data.samples, _in_baseline(events), LOAD_SHARE, "load_failed_before")
    yield from _master_reasons(events, figures.distribution)
    yield from load_reasons(data)
    for watched in events.watched:
        # After the heal, a probe gap may be as long as the outage after the fault.
        seen_us = max(watched.outage.duration_us, events.outage.duration_us if events.outage else 0)
        yield from _figure_reasons(
            watched, unseen_limit_us(seen_us, watched.outage.interval_us), limits, events.machine
        )
    for why in data.unread:
        yield make_reason("logs_damaged", why=why)


def load_reasons(data: RunData) -> Iterator[Reason]:
    """Check that every process of the load ran until its planned end, and that the logs have all recorded rows."""
    load = data.run.settings.load
    if load is not None and load.state == RUNNING:
        yield make_reason("load_not_ended")
    for worker in data.run.workers:
        name = f"{worker.worker or 'the load'} on {worker.host or 'an unknown host'}"
        if worker.ended == LOST:
            yield make_reason("worker_lost", worker=name)
        if worker.lost:
            yield make_reason("samples_lost", worker=name, lost=worker.lost)
    if load is None or why_flawed(data.flaws, SAMPLES_STEM):
        return
    if not data.samples:
        yield make_reason("no_sample")
        return
    written = count_recorded(data.run)
    if written is not None and written != len(data.samples):
        yield make_reason("samples_differ", recorded=written, found=len(data.samples))


def count_recorded(run: Run) -> int | None:
    """Return the number of rows that the load recorded; None if a process did not report its number."""
    numbers = [worker.samples - (worker.lost or 0) for worker in run.workers if worker.samples is not None]
    return sum(numbers) if numbers and len(numbers) == len(run.workers) else None


def _baseline_reasons(population: Population, probes: Requests, events: Events) -> Iterator[Reason]:
    """Check that the baseline has probes, that no probe failed and that, before a fault, few probes were late."""
    baseline = population.by_phase.get(PhaseName.BASELINE)
    if baseline is None:
        return
    if baseline.failed:
        yield from failed_before(probes, _in_baseline(events), 0, "failed_before")
    elif not baseline.total:
        yield make_reason("no_probe_before")
    elif events.is_fired and baseline.late > LATE_SHARE * baseline.total:
        yield make_reason("late_before", late=baseline.late, total=baseline.total)


def _in_baseline(events: Events) -> str:
    return f"{phase_sql(events.phases)} = '{PhaseName.BASELINE}'"


def failed_before(requests: Requests, where: str, share: float, code: str) -> Iterator[Reason]:
    """Yield a reason if more than `share` of the sent requests that meet `where` (SQL) failed."""
    failed, total = requests.row(
        f"SELECT count(*) FILTER (NOT success), count(*) FROM {{requests}} WHERE {where} AND {SENT}"
    )
    if failed > share * total:
        yield make_reason(code, failed=failed, total=total, most=because(most_failed(requests, where)))


def _master_reasons(events: Events, distribution: Distribution) -> Iterator[Reason]:
    fault, balancers = events.run.fault, events.balancers
    if fault is None or fault.kind != "master" or fault.master not in balancers:
        return
    baseline = distribution.by_phase.get(PhaseName.BASELINE)
    for name, share in baseline.balancers.items() if baseline else ():
        if name in balancers and name != fault.master:
            yield make_reason("other_master", node=name, answers=share.count, master=fault.master)


def unseen_limit_us(seen_us: int, interval_us: float | None) -> float:
    """Return the longest allowed probe gap: as long as the outage; if there was no outage, one second; always at
    least 100 ms and some probe intervals."""
    return max(seen_us or NONE_US, ALWAYS_SHARP_US, PROBE_GAP_INTERVALS * (interval_us or 0))


def _figure_reasons(
    watched: Watched, tolerated_us: float, limits: Sequence[Limit], machine: Sequence[MachineSecond]
) -> Iterator[Reason]:
    """Yield a reason if a probe gap is too long. Also yield a reason if an interval is too wide, unless the limit of
    its figure is clearly kept or exceeded."""
    outage, unseen = watched.outage, watched.outage.unseen
    if unseen.duration_us > tolerated_us:
        figures: dict[str, Figure] = {
            "figure": watched.name,
            "event": watched.event,
            "unseen_ms": round(unseen.duration_us / 1000),
            "after_s": (unseen.from_us - watched.since_us) / 1e6,
        }
        yield make_reason("unseen", **(figures | name_cause(machine, unseen)))
    wide = outage.duration_us - outage.length.low > max(WIDE_SHARE * outage.duration_us, WIDE_US)
    decided = any(result.name is watched.limit and result.state in (State.KEPT, State.EXCEEDED) for result in limits)
    if wide and not decided and not outage.censored:
        low_ms, high_ms = int(outage.length.low) // 1000, -(-outage.duration_us // 1000)
        yield make_reason("wide_bound", figure=watched.name, low_ms=low_ms, high_ms=high_ms)
