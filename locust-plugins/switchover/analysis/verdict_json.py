"""`verdict.json`: the verdict as data. Its schema is `docs/verdict.md`; what is unknown is null, never 0."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from switchover.analysis.artefacts import Artefact
from switchover.analysis.change_json import changes_json, dead_json
from switchover.analysis.confirmation import Check
from switchover.analysis.distribution import Distribution
from switchover.analysis.labels import LabelFigures
from switchover.analysis.latency import Latency, Percentiles
from switchover.analysis.ledger import Accounting, Line
from switchover.analysis.limit import Unit
from switchover.analysis.limit_result import LimitResult
from switchover.analysis.outage import Gap, Outage
from switchover.analysis.population import Counts, Population
from switchover.analysis.prediction_fit import PredictionFit
from switchover.analysis.silences import Silence, Silences
from switchover.analysis.split_brain import SplitBrain
from switchover.analysis.timeline import Row
from switchover.analysis.verdict import Verdict
from switchover.model.interval import Span
from switchover.rundir.run_records import ProbeAccount
from switchover.verdict.record import GAPS_LIMIT as GAPS_LIMIT
from switchover.verdict.record import SCHEMA as SCHEMA
from switchover.verdict.record import Verdict as VerdictRecord


def record_of(verdict: Verdict) -> VerdictRecord:
    """Return the verdict as the record that verdict.json holds."""
    return msgspec.convert(to_json(verdict), VerdictRecord)


def to_json(verdict: Verdict) -> dict[str, Any]:
    run = verdict.run
    return {
        "schema": SCHEMA,
        "run": run.id,
        "verdict": verdict.status.value,
        "exit_code": verdict.exit_code,
        "valid": verdict.valid,
        "reasons": msgspec.to_builtins(list(verdict.reasons)),
        "warnings": list(verdict.warnings),
        "limits": [_limit(result) for result in verdict.limits],
        "outage": None if verdict.events.outage is None else _outage(verdict.events.outage),
        "prediction": _prediction(verdict.figures.prediction),
        "confirmation": None
        if verdict.confirmation is None
        else {"seen": verdict.confirmation.seen, "checks": _checks(verdict.confirmation.checks)},
        "restoration": None
        if verdict.restoration is None
        else {"whole": verdict.restoration.whole, "checks": _checks(verdict.restoration.checks)},
        "timeline": [_row(row) for row in verdict.events.timeline],
        "probes": None if verdict.figures.probes is None else _population(verdict.figures.probes),
        "samples": None if verdict.figures.samples is None else _population(verdict.figures.samples),
        "load": None if verdict.figures.samples is None else _load(verdict),
        "split_brain_ms": None if verdict.figures.split_brain is None else _ms(verdict.figures.split_brain.total_us),
        "split_brain": _split_brain(verdict.figures.split_brain),
        "failback": None if verdict.events.failback is None else _outage(verdict.events.failback),
        "distribution": _distribution(verdict.figures.distribution),
        "accounting": _accounting(verdict.figures.accounting),
        "generator": _generator(run.generator),
        **({"dead_connections": list(map(dead_json, verdict.figures.dead))} if verdict.figures.dead else {}),
        **({} if verdict.figures.changes is None else {"changes": changes_json(verdict.figures.changes)}),
    }


def _checks(checks: Sequence[Check]) -> list[dict[str, Any]]:
    return [{"name": check.name, "holds": check.holds, "text": check.text} for check in checks]


def _ms(microseconds: float | None) -> float | None:
    return None if microseconds is None else round(microseconds / 1000, 3)


def _limit(result: LimitResult) -> dict[str, Any]:
    """Limits and figures in milliseconds, shares (0 to 1) or requests, as `unit` says."""
    limit, figure = result.limit, result.figure
    decimals = 3 if limit.unit is Unit.MILLISECONDS else 9
    return {
        "name": limit.name.value,
        "limit": limit.limit,
        "unit": limit.unit.value,
        **({} if limit.confidence is None else {"confidence": limit.confidence}),
        "low": None if figure is None else round(figure.low, decimals),
        "high": None if figure is None or figure.high is None else round(figure.high, decimals),
        "state": result.state.value,
        "default": limit.default,
        "note": result.note,
    }


def _outage(outage: Outage) -> dict[str, Any]:
    length = outage.length
    return {
        "kind": outage.kind.value,
        "low_ms": _ms(length.low),
        "high_ms": _ms(length.high),
        "detection_limit_ms": _ms(outage.detection_limit_us),
        "censored": outage.censored,
        "recovered": outage.recovered,
        "from_us": outage.from_us,
        "to_us": outage.to_us,
        **({} if outage.first_impaired_us is None else {"first_bad_us": outage.first_impaired_us}),
        "envelope_ms": _ms(outage.envelope_us),
        "sum_of_gaps_ms": _ms(outage.sum_of_gaps_us),
        "loss_derived_ms": None if outage.loss_derived_ms is None else round(outage.loss_derived_ms, 3),
        "impaired": outage.impaired,
        "interval_ms": _ms(outage.interval_us),
        "gaps": _gaps(outage.gaps),
        "gap_count": len(outage.gaps),
        "later_gaps": _gaps(outage.later_gaps),
        "later_gap_count": len(outage.later_gaps),
    }


def _gaps(gaps: Sequence[Gap]) -> list[dict[str, Any]]:
    return [{**_span(gap), "failed": gap.failed, "late": gap.late} for gap in gaps[:GAPS_LIMIT]]


def _span(span: Span | Gap) -> dict[str, Any]:
    return {"from_us": span.from_us, "to_us": span.to_us, "duration_ms": _ms(span.duration_us)}


def _prediction(fit: PredictionFit | None) -> dict[str, Any] | None:
    if fit is None:
        return None
    return {
        "fault": fit.fault,
        "low_ms": fit.low_ms,
        "high_ms": fit.high_ms,
        "tolerance_ms": None if fit.tolerance_ms is None else round(fit.tolerance_ms, 3),
        "inside": fit.inside,
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "step": row.step.value,
        "at_us": row.at_us,
        "bound_ms": _ms(row.bound_us),
        "after_kill_ms": _ms(row.after_kill_us),
        "stamped_late_ms": _ms(row.stamped_late_us),
        "source": row.source,
        "order_unknown": row.order_unknown,
    }


def _population(population: Population) -> dict[str, Any]:
    whole = _counts(population.whole)
    by_phase = {phase.value: _counts(counts) for phase, counts in population.by_phase.items()}
    return {**whole, "by_phase": by_phase}


def _load(verdict: Verdict) -> dict[str, Any]:
    gap = verdict.figures.longest_gap
    found: dict[str, Any] = {
        "longest_gap": gap and _span(gap),
        "artefacts": [_artefact(artefact) for artefact in verdict.figures.artefacts],
    }
    if verdict.figures.silences:
        found["silences"] = list(map(_silences, verdict.figures.silences))
    if verdict.figures.labels is not None:
        found["labels"] = list(map(_label, verdict.figures.labels.found))
        found["more_labels"] = verdict.figures.labels.more
    return found


def _silences(found: Silences) -> dict[str, Any]:
    return {
        "file": found.file or None,
        "label": found.label or None,
        "outage": found.outage and _silence(found.outage),
        "longest": _silence(found.longest),
        "more": found.more,
        "recovered": found.recovered,
    }


def _silence(found: Silence) -> dict[str, Any]:
    return {
        **_span(found.span),
        "low_ms": _ms(found.length.low),
        "high_ms": _ms(found.length.high),
        "failed": found.failed,
        "by_kind": dict(found.by_kind),
        "in_progress": found.in_progress,
    }


def _label(found: LabelFigures) -> dict[str, Any]:
    return {
        "label": found.name,
        "total": found.total,
        "failed": found.failed,
        "p50_ms": _ms(found.p50_us),
        "p95_ms": _ms(found.p95_us),
        "p99_ms": _ms(found.p99_us),
    }


def _artefact(artefact: Artefact) -> dict[str, Any]:
    return {
        "name": artefact.name.value,
        "event": artefact.event and artefact.event.value,
        "text": artefact.text,
        "figures": dict(artefact.figures),
    }


def _counts(counts: Counts) -> dict[str, Any]:
    return {
        "total": counts.total,
        "failed": counts.failed,
        "late": counts.late,
        "unsent": counts.unsent,
        "rate": None if counts.rate is None else round(counts.rate, 3),
        "users": None if counts.users is None else round(counts.users, 3),
        "by_kind": dict(counts.by_kind),
        "by_answered_by": dict(counts.by_answered_by),
        "by_stream": {stream: dict(found) for stream, found in counts.by_stream.items()},
        "latency_ms": None if counts.latency is None else _latency(counts.latency),
    }


def _latency(latency: Latency) -> dict[str, Any]:
    return {
        "from_schedule": None if latency.from_schedule is None else _percentiles(latency.from_schedule),
        "from_send": _percentiles(latency.from_send),
    }


def _percentiles(found: Percentiles) -> dict[str, float | None]:
    return {"p50": _ms(found.p50_us), "p90": _ms(found.p90_us), "p99": _ms(found.p99_us), "max": _ms(found.max_us)}


def _split_brain(split_brain: SplitBrain | None) -> dict[str, Any] | None:
    if split_brain is None:
        return None
    return {
        "low_ms": _ms(split_brain.length.low),
        "high_ms": _ms(split_brain.length.high),
        "overlaps": list(map(_span, split_brain.overlaps)),
        "handovers": list(map(_span, split_brain.handovers)),
        "bound_ms": _ms(split_brain.bound_us),
    }


def _distribution(distribution: Distribution) -> dict[str, Any]:
    chi = distribution.chi_square
    return {
        "algorithm": distribution.algorithm,
        "by_phase": {
            phase.value: {what: _shares(counts) for what, counts in found.items()}
            for phase, found in distribution.by_phase.items()
        },
        "turns": [
            {
                "phase": turns.phase.value,
                "balancer": turns.balancer,
                "counts": dict(turns.counts),
                "deviation": round(turns.deviation, 3),
                "allowed": turns.allowed,
                "kept": turns.kept,
            }
            for turns in distribution.turns
        ],
        "chi_square": None
        if chi is None
        else {"statistic": round(chi.statistic, 6), "degrees": chi.degrees, "p": round(chi.p, 9)},
        "sessions": distribution.sessions,
        "sessions_moved": distribution.sessions_moved,
    }


def _shares(counts: Mapping[str, int]) -> dict[str, dict[str, Any]]:
    total = sum(counts.values())
    return {name: {"count": count, "share": round(count / total, 6)} for name, count in counts.items()}


def _accounting(accounting: Accounting) -> dict[str, Any]:
    return {
        "dedicated": accounting.dedicated,
        "equal": accounting.equal,
        "explained": accounting.explained,
        "unaccounted": accounting.unaccounted,
        "uncounted": list(accounting.uncounted),
        "lines": [_line(line) for line in accounting.lines],
    }


def _line(line: Line) -> dict[str, Any]:
    return {
        "name": line.name,
        "node": line.node or None,
        "generation": line.generation or None,
        "client": line.client,
        "source": line.source,
        "said_by": line.said_by,
        "difference": line.difference,
        "explained_by": dict(line.explained_by),
        "unaccounted": line.unaccounted,
    }


def _generator(account: ProbeAccount) -> dict[str, Any]:
    names = ("scheduled", "unsent", "lag_p50_ms", "lag_p99_ms", "cpu_percent")
    return {name: getattr(account, name) for name in names}
