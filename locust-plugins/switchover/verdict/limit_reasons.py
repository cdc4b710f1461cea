"""Reasons about recovery and limits."""

from collections.abc import Iterator, Sequence

from switchover.evidence.machine import MachineSecond, name_cause
from switchover.evidence.run_data import RunData
from switchover.figures.events import Events
from switchover.figures.figures import Figures
from switchover.figures.outage import Outage
from switchover.figures.phases import phase_sql
from switchover.figures.probes import Probes, is_probe_gap, unseen_near
from switchover.figures.silences import figure_of
from switchover.verdict.limit_checks import figure_text, limit_text, named_limit
from switchover.verdict.most_failed import most_failed
from switchover.verdict.reasons import make_reason
from switchover.verdict.record import Figure, Limit, LimitName, PhaseName, Reason, State


def limit_reasons(data: RunData, events: Events, figures: Figures, results: Sequence[Limit]) -> Iterator[Reason]:
    for result in results:
        if result.state is State.UNMEASURED:
            why = result.note or "the run has no source for this figure"
            yield make_reason("limit_unmeasured", name=named_limit(result), why=why)
    for part in events.watched:
        if not part.outage.recovered:
            yield make_reason("not_recovered", figure=part.name, low_ms=part.outage.away_at_end_us // 1000)
    for silences in figures.whole_silences:
        if not silences.recovered:
            low_ms = int(figure_of(silences).low)
            yield make_reason("log_not_recovered", figure=silences.file or data.run.name, low_ms=low_ms)
    yield from _not_kept(results, events, figures, data)


def _not_kept(results: Sequence[Limit], events: Events, taken: Figures, data: RunData) -> Iterator[Reason]:
    """Yield a reason for each exceeded or inconclusive limit, with the most common failures, or with the probe gap
    that makes an outage imprecise."""
    codes = {State.EXCEEDED: "limit_exceeded", State.INCONCLUSIVE: "limit_inconclusive"}
    for result in results:
        if result.state in codes:
            why = "; ".join(filter(None, (result.note, _most_failed(result.name, events, taken, data))))
            figures: dict[str, Figure] = {
                "name": named_limit(result),
                "figure": f"{result.name} {figure_text(result)}",
                "limit": limit_text(result),
                "why": f" ({why})" if why else "",
            }
            outages = [part.outage for part in events.watched if part.limit is result.name]
            if result.state is State.INCONCLUSIVE and outages and not result.note:
                figures |= _probe_gap_in_doubt(outages[0], events.fresh, events.machine)
            yield make_reason(codes[result.state], **figures)


def _most_failed(name: LimitName, events: Events, taken: Figures, data: RunData) -> str:
    """Return the most common failures that the figure of a limit counts; empty if the figure counts no failures."""
    requests = data.samples or data.probes
    match name:
        case LimitName.FAILED:
            return most_failed(requests, f"{phase_sql(events.phases)} = '{PhaseName.SWITCHOVER}'")
        case LimitName.FAILED_TOTAL:
            return most_failed(requests)
        case LimitName.LOST if data.connections is not None and taken.changes is not None:
            numbers = ", ".join(str(change.number) for change in taken.changes.record.by_change)
            return most_failed(data.connections, f"change IN ({numbers})")
    return ""


def _probe_gap_in_doubt(outage: Outage, probes: Probes, machine: Sequence[MachineSecond]) -> dict[str, Figure]:
    """Return the figures of the probe gap that makes the outage imprecise: a gap at an edge of the outage, or longer
    than the outage. Empty: the probes were sent on schedule."""
    if outage.detection_limit_us > outage.duration_us:
        probe_gap = outage.unseen
    elif outage.longest_later_gap_us > outage.duration_us:
        return {}
    else:
        probe_gap = max((unseen_near(probes, edge) for edge in outage.edges), key=lambda gap: gap.duration_us)
    if not is_probe_gap(probe_gap, outage.interval_us):
        return {}
    figures: dict[str, Figure] = {"why": f"; no probe was sent for {round(probe_gap.duration_us / 1000):,} ms"}
    return figures | name_cause(machine, probe_gap)
