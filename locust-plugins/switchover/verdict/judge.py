"""Judge a run: compute its figures, compare them with limits, and list the reasons of the verdict."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from msgspec import convert, structs

from switchover.evidence.run_data import RunData
from switchover.figures.events import Events, find_events, with_observed_start
from switchover.figures.figures import Figures, take_figures
from switchover.figures.split_brain import total_ms
from switchover.rundir.run_directory import Run
from switchover.verdict import record
from switchover.verdict.change_reasons import change_reasons
from switchover.verdict.confirmation import Evidence, look_for_confirmation, restart_seen
from switchover.verdict.fault_reasons import fault_reasons, was_refused
from switchover.verdict.limit import Limit, limits_of
from switchover.verdict.limit_checks import hold_limits
from switchover.verdict.limit_reasons import limit_reasons
from switchover.verdict.reasons import status_of
from switchover.verdict.record import SCHEMA, Generator, Reason, Status, loudest
from switchover.verdict.restoration import look_at_pair
from switchover.verdict.validity import trust_reasons
from switchover.verdict.warning_texts import list_warnings


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    record: record.Verdict
    events: Events
    figures: Figures

    def with_reason(self, reason: Reason) -> "Verdict":
        status = _status(self.events.run, self.record.limits, [*self.record.reasons, reason])
        return replace(self, record=structs.replace(self.record, **status))


def judge(data: RunData, limits: Sequence[Limit] | None = None) -> Verdict:
    """Compute the figures of a run, and compare the figures with `limits`. None: compare the figures with the limits
    of the run."""
    data = with_observed_start(data)
    events = find_events(data)
    figures = take_figures(data, events)
    results = hold_limits(limits_of(data.run) if limits is None else limits, data, events, figures)
    # If a file is damaged, the evidence of the fault may be lost.
    has_evidence = data.run.fired_fault is not None and not data.flaws
    confirmation = look_for_confirmation(Evidence(events)) if has_evidence else None
    pair = look_at_pair(events) if has_evidence else None
    restoration = pair.record if pair else None
    restart = restart_seen(events) if has_evidence else None
    if restart is not None:
        figures = replace(figures, prediction=None)  # the prediction assumes that the balancer stays down
    reasons = [
        *fault_reasons(data.run, confirmation, pair, data.points, restart),
        *change_reasons(data, events, figures.changes),
        *trust_reasons(data, events, figures, results),
        *([] if was_refused(data.run) else limit_reasons(data, events, figures, results)),
    ]
    verdict = record.Verdict(
        schema=SCHEMA,
        run=data.run.id,
        **_status(data.run, results, reasons),
        warnings=[*([restart] if restart else []), *list_warnings(data, events, figures, restoration)],
        limits=results,
        outage=events.outage.record if events.outage else None,
        prediction=figures.prediction,
        confirmation=confirmation,
        restoration=restoration,
        timeline=events.timeline,
        probes=figures.probes,
        samples=figures.samples,
        load=figures.load,
        split_brain_ms=total_ms(figures.split_brain) if figures.split_brain else None,
        split_brain=figures.split_brain,
        failback=events.failback.record if events.failback else None,
        distribution=figures.distribution,
        accounting=figures.accounting,
        generator=convert(data.run.generator, Generator, from_attributes=True),
        dead_connections=figures.dead,
        changes=figures.changes.record if figures.changes else None,
    )
    return Verdict(record=verdict, events=events, figures=figures)


def _status(run: Run, limits: Sequence[record.Limit], reasons: list[Reason]) -> dict[str, Any]:
    """Return the fields of the verdict that follow from the reasons."""
    if run.dry_run:
        without_reasons = Status.DRY_RUN
    else:
        without_reasons = Status.PASSED if any(not limit.default for limit in limits) else Status.MEASURED
    statuses = {status_of(reason) for reason in reasons}
    status = loudest(statuses, without_reasons)
    valid = all(other.exit_code < 2 or other is Status.INCONCLUSIVE for other in statuses)
    return {"status": status, "exit_code": status.exit_code, "valid": valid, "reasons": reasons}
