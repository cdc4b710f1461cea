"""Warnings: facts about a run that a reader should know, although its figures are valid."""

from collections.abc import Iterator
from math import ceil

from switchover.evidence.run_data import RunData
from switchover.figures.events import Events
from switchover.figures.figures import Figures
from switchover.figures.outage import Outage
from switchover.figures.probes import longest_unanswered, tolerated_us
from switchover.rundir.measurements import EVENT
from switchover.rundir.run_directory import Run
from switchover.verdict.record import PhaseName, Population, Restoration

GATE_SHARE = 0.05
"""The rate in the baseline may deviate by less than this share from the requested rate (RFC 9411 section 7.3.3.3)."""
LAG_MS = 1.5
"""If the 99th percentile of the send lag is above these milliseconds, the probes were not evenly spaced."""
RESTORATION_UNKNOWN = "whether the pair is restored is unknown: there is no telemetry from 5 s after the heal"


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
            f"{changes.generator_errors:,} requests of the held connections failed because of this machine: it had "
            "no port or descriptor left, or stood still while they timed out"
        )
    warnings += [*_unanswered_warnings(events), *_unsent_warnings(figures.samples)]
    is_known = restoration is not None and restoration.whole is not None
    if run.fired_fault is not None and run.plan.healed_us is not None and not is_known:
        warnings.append(RESTORATION_UNKNOWN)
    return tuple(dict.fromkeys(warnings))


def _outage_warnings(run: Run, outage: Outage) -> Iterator[str]:
    read_ms = run.settings.timeout_read_ms
    if outage.gaps and read_ms is not None and read_ms * 1000 > outage.duration_us:
        yield (
            f"the read timeout of the probes ({read_ms:g} ms) is longer than the outage: "
            "hung requests are answered late, so failures and the loss-derived figure are too low"
        )
    if outage.longest_later_gap_us > outage.duration_us:
        yield (
            f"a later gap of {outage.longest_later_gap_us / 1000:.0f} ms is longer than the outage: "
            "it came after a stability window, and the limit counts it"
        )


def _unanswered_warnings(events: Events) -> Iterator[str]:
    """Warn of a time without responses that no figure includes, because each response was within the late
    threshold."""
    late_ms = events.run.settings.late_us / 1000
    away = [gap.span for part in events.watched for gap in (*part.outage.gaps, *part.outage.later_gaps)]
    for part in events.watched:
        longest_us = longest_unanswered(events.fresh, part.since_us, part.until_us, away).duration_us
        if longest_us > part.outage.detection_limit_us + tolerated_us(part.outage.interval_us):
            yield (
                f"{part.name}: no answer came for {round(longest_us / 1000):,} ms; each probe was answered within "
                f"the late threshold ({late_ms:g} ms), so no figure counts it"
            )


def _unsent_warnings(samples: Population | None) -> Iterator[str]:
    """Warn of unsent requests. One per user is normal: the generator aborts it when the test is stopped."""
    if samples is not None:
        users = max((counts.users or 0.0 for counts in samples.by_phase.values()), default=0.0)
        if samples.unsent > ceil(users):
            yield f"requests that the load generator did not send, or ended itself: {samples.unsent:,}"


def _prober_warnings(run: Run, population: Population) -> Iterator[str]:
    baseline, p99 = population.by_phase.get(PhaseName.BASELINE), run.generator.lag_p99_ms
    requested_rate = (run.settings.probe_rate or 0) + (run.settings.kept_rate or 0)
    if baseline is not None and baseline.rate is not None and requested_rate:
        deviation = baseline.rate / requested_rate - 1
        if abs(deviation) >= GATE_SHARE:
            yield (
                f"the baseline's rate was {deviation:+.1%} off the {requested_rate:g}/s asked for "
                "(RFC 9411 section 7.3.3.3 allows less than 5 %)"
            )
    if baseline is not None and baseline.late:
        yield f"{baseline.late} probes came late in the baseline"
    if p99 is not None and p99 > LAG_MS:
        also = ", and the prober had no real-time scheduling" if run.generator.realtime is False else ""
        yield f"probes were sent late (99th percentile {p99:.1f} ms): the client's machine was busy{also}"
    if population.unsent:
        yield f"{population.unsent} probes could not be sent (client out of ports or files)"


def _journal_warnings(data: RunData) -> Iterator[str]:
    """Yield the warnings in the journal, except warnings about the victim after the fault, which are expected."""
    fault, fired_us = data.run.fault, data.run.plan.fired_from_us
    for point in data.points:
        if point.measurement != EVENT or point.tags.get("kind") != "warning":
            continue
        of_victim = fault is not None and point.tags.get("node") == fault.victim
        if not (of_victim and fired_us is not None and point.time_ns // 1000 >= fired_us):
            yield str(point.fields.get("text", ""))
