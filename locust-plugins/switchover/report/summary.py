"""The summary of a run, for the console, Markdown and the head of the page: limits first, then a line for each
figure. The summary of a bad verdict also has the reasons and the next step."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from switchover.report import figures_text as text
from switchover.report.documents import Judged
from switchover.verdict.reasons import status_of
from switchover.verdict.record import (
    ArtefactName,
    Changes,
    DeadConnections,
    Limit,
    LimitName,
    Outage,
    OutageKind,
    PhaseName,
    Reason,
    Silences,
    State,
    Status,
    Step,
    Verdict,
)

MARKS = {State.EXCEEDED: "✗", State.INCONCLUSIVE: "?", State.UNMEASURED: "?", State.KEPT: "✓"}
"""The mark for each state of a limit. The worst state is first."""
LIMIT_REASONS = frozenset({"limit_exceeded", "limit_inconclusive"})
"""The codes of reasons that are not listed, because each limit that is exceeded or inconclusive has its own line."""
ONLY_IF_VALID = ("Confidence", "Nothing lost", "Timeline")
"""The names of lines that are printed only for a valid run."""
REASONS = 3
WARNINGS = 3
TRIALS_FOR_ONE_PERCENT = 299
"""This number of changes without a loss proves, with 95 % confidence, that at most 1 % of changes lose anything."""
_LINE_OF_LIMIT = {
    "outage": "Outage",
    "failback": "Failback",
    "split-brain": "Split brain",
    "unaccounted": "Accounting",
    "failed": "Failed",
}
"""The name of the line that contains the figure of a limit."""


@dataclass(frozen=True, slots=True)
class Line:
    name: str
    value: str
    notes: tuple[str, ...] = ()
    mark: str = ""
    limit: str = ""
    bounds: str = ""
    """The interval of the value, which is printed in brackets together with the prediction."""
    prediction: str = ""

    @property
    def rest(self) -> str:
        bracket = "; ".join(filter(None, (self.bounds, self.prediction)))
        parts = (f"({bracket})" if bracket else "", "; ".join(self.notes))
        return "   ".join(filter(None, (" ".join(filter(None, parts)), self.limit)))


class Summary(NamedTuple):
    status: str
    exit_code: int
    is_valid: bool
    qualifier: str
    """The text after the status: the exit code, or a note that no limit was set."""
    subject: str
    """The fault or change, and its result."""
    why: tuple[tuple[str, str], ...]
    """The lines `Why` and `Cause`, each with its name and its text."""
    next_step: str
    lines: tuple[Line, ...]
    warnings: tuple[str, ...]
    """All warnings. The most important warning is first."""

    @property
    def heading(self) -> str:
        return f"{self.status} ({self.qualifier})" if self.qualifier else self.status

    @property
    def sentence(self) -> str:
        shown = [line for line in self.lines if line.name in ("Outage", "Failed", "Split brain")]
        figures = ", ".join(f"{line.name.lower()} {line.value}" for line in shown)
        return ": ".join(filter(None, (self.subject, figures)))

    @property
    def rows(self) -> list[tuple[str, str, str, str]]:
        """The rows (mark, name, value, rest): limits, `Why` and `Cause`, figures, `Next`."""
        lines = [(line.mark, line.name, line.value, line.rest) for line in self.lines]
        why = [("", name, value, "") for name, value in self.why]
        advice = [("", "Next", self.next_step, "")] if self.next_step else []
        if not self.is_valid:
            return [*why, *advice, *([("", "Seen", self.seen, "")] if self.lines else [])]
        limits = [row for row in lines if row[0]]
        return [*limits, *why, *(row for row in lines if not row[0]), *advice]

    @property
    def seen(self) -> str:
        shown = [line for line in self.lines if line.value != text.UNKNOWN and line.name not in ONLY_IF_VALID]
        figures = ", ".join(f"{line.name.lower()} {line.value}" for line in shown)
        return f"{figures} (do not quote)" if figures else ""


def summarize(judged: Judged) -> Summary:
    verdict = judged.verdict
    lines = list(_change_lines(verdict, verdict.changes) if verdict.changes else _figure_lines(judged))
    exit_code = f"exit {verdict.exit_code}" if verdict.exit_code else ""
    return Summary(
        status=verdict.status,
        exit_code=verdict.exit_code,
        is_valid=is_valid(verdict),
        qualifier="no limit set" if verdict.status == Status.MEASURED else exit_code,
        subject=subject(judged),
        why=tuple(_explained(verdict)),
        next_step=next((reason.remedy for reason in ranked(verdict)), ""),
        lines=tuple(_with_limits(lines, verdict)),
        warnings=tuple(
            each for each in verdict.warnings if not any(each in reason.text for reason in verdict.reasons)
        ),
    )


def is_valid(verdict: Verdict) -> bool:
    """Return True if no reason of the verdict makes it INVALID."""
    return all(status_of(reason) is not Status.INVALID for reason in verdict.reasons)


def subject(judged: Judged) -> str:
    """Return the fault or change and its result, for example `haproxy-kill on lb1 -> lb2 took over`."""
    verdict, run = judged
    change, fault = run.change, run.fault
    if change:
        changes, victim = verdict.changes, change.victim or "the target"
        if changes is None:
            return f"{change.name} on {victim}"
        result = _change_result(changes) if is_valid(verdict) else "no conclusion"
        return f"{changes.made} × {change.name} on {victim}: {result}"
    if not fault or fault.kind == "none":
        measured = "measured without a fault" if run.plan.start_us is not None else ""
        return f"{run.name}: {measured}" if verdict.load and verdict.load.silences else measured
    action = f"{fault.name} on {fault.victim or 'the target'}"
    if not is_valid(verdict):
        healed = f"; the fault on {fault.victim} is healed" if fault.victim and run.plan.healed_us else ""
        return f"{action}: no conclusion about your pair{healed}"
    outage = verdict.outage
    if not run.is_fired or not outage or outage.kind is OutageKind.NONE:
        return action
    if not outage.recovered:
        return f"{action} -> the service did not recover"
    has_moved = any(row.at_us for row in verdict.timeline or () if row.step in (Step.ELECTED, Step.FIRST_GOOD))
    if outage.kind is OutageKind.OUTAGE and fault.kind == "master" and fault.backup and has_moved:
        return f"{action} -> {fault.backup} took over"
    return action


def _change_result(changes: Changes) -> str:
    if not changes.lost:
        return "nothing was lost"
    return f"{text.counted(changes.lossy, 'change')} lost {text.counted(changes.lost, 'request')}"


def ranked(verdict: Verdict) -> list[Reason]:
    return sorted(verdict.reasons, key=lambda reason: list(Status).index(status_of(reason)))


def run_reasons(verdict: Verdict) -> list[Reason]:
    """Return the reasons of the verdict, without reasons about limits that have their own line or only repeat another
    reason."""
    texts = {reason.text for reason in verdict.reasons}
    return [
        reason
        for reason in ranked(verdict)
        if reason.code not in LIMIT_REASONS
        and not (reason.code == "limit_unmeasured" and reason.figures["why"] in texts)
    ]


def _explained(verdict: Verdict) -> Iterator[tuple[str, str]]:
    """Yield the lines `Why` and `Cause` of the most important reasons. Reasons with one cause share a line
    `Cause`."""
    reasons = run_reasons(verdict)
    if not reasons:
        yield from (("Cause", reason.cause) for reason in ranked(verdict)[:1] if reason.code == "limit_inconclusive")
    by_cause: dict[str, list[str]] = {}
    for reason in reasons[:REASONS]:
        recorded = reason.figures.get("cause")
        why = reason.text.removesuffix(f" ({recorded})")
        by_cause.setdefault(str(recorded or f"usually {reason.cause}"), []).append(why)
    for cause, whys in by_cause.items():
        yield from (("Why", why) for why in whys)
        yield "Cause", cause
    if len(reasons) > REASONS:
        yield "", f"and {len(reasons) - REASONS} more reasons in verdict.json"


def _figure_lines(judged: Judged) -> Iterator[Line]:
    verdict = judged.verdict
    silences = (verdict.load and verdict.load.silences) or []
    if silences:
        has_limit = any(limit.name is LimitName.OUTAGE for limit in verdict.limits)
        yield from _silence_lines(silences, is_listed=has_limit or len(silences) > 1)
    else:
        yield _outage_line(judged)
        yield from _timeline(verdict)
    if verdict.failback:
        yield _line_of("Failback", verdict.failback, [*_stale(verdict, PhaseName.FAILBACK)])
    yield from _failed_lines(verdict)
    value, note = text.split_brain(verdict)
    yield Line("Split brain", value, (note,) if note else ())
    value, note = text.accounting(verdict)
    yield Line("Accounting", value, (note,) if note else ())
    yield from map(_dead_line, verdict.dead_connections or ())


def _outage_line(judged: Judged) -> Line:
    verdict, run = judged
    if not verdict.outage:
        return Line("Outage", text.UNKNOWN, (run.no_outage_because,))
    fit, prediction = verdict.prediction, ""
    if fit and fit.low_ms is not None:
        agrees = {True: " ✓", False: " ✗", None: ""}[fit.inside]
        prediction = f"predicted {text.window(fit.low_ms, fit.high_ms)}{agrees}"
    return _line_of("Outage", verdict.outage, [*_stale(verdict, PhaseName.SWITCHOVER)], prediction)


def _line_of(name: str, outage: Outage, stale: Sequence[str], prediction: str = "") -> Line:
    notes = text.outage_notes(outage)
    if stale and notes[:1] == ["none seen"]:
        notes[0] = "new connections"
    return Line(name, text.length(outage), (*notes, *stale), bounds=text.length_bounds(outage), prediction=prediction)


def _stale(verdict: Verdict, event: PhaseName) -> Iterator[str]:
    """Yield a note about requests that failed on kept connections to the balancer that lost the VIP."""
    is_failback = event is PhaseName.FAILBACK
    outage = verdict.failback if is_failback else verdict.outage
    names = ("failback", "heal") if is_failback else ("recovery", "fault")
    since = names[0] if outage and outage.from_us is not None else names[1]
    for artefact in (verdict.load and verdict.load.artefacts) or ():
        if artefact.name is ArtefactName.STALE and artefact.event is event:
            figures = artefact.figures
            failed, last = text.counted(figures["failed"], "request"), text.duration(figures["last_ms"])
            yield f"{failed} on stale connections failed, up to {last} after the {since}"


def _silence_lines(silences: list[Silences], *, is_listed: bool) -> Iterator[Line]:
    """Yield lines for each log or label: its outage, and its longest silence if the outage is in another silence.
    `is_listed`: lines with an outage are named `Log`, because the line of a limit is named `Outage`, or because there
    are several logs."""
    for part in silences:
        name = " of ".join(filter(None, (part.label, part.file)))
        suffix = f" ({name})" if name else ""
        if part.outage:
            more = f"; {text.counted(part.more, 'more outage')} proven" if part.more else ""
            outage = f"{text.proven(part.outage)}{more}{suffix}"
            yield Line("Log", f"outage {outage}") if is_listed else Line("Outage", outage)
        if not part.outage or (part.longest.from_us, part.longest.to_us) != (part.outage.from_us, part.outage.to_us):
            yield Line("Longest", f"time without a good response {text.silence(part.longest)}{suffix}")


def _failed_lines(verdict: Verdict) -> Iterator[Line]:
    counts, noun = (verdict.samples, "requests") if verdict.samples else (verdict.probes, "probes")
    if not counts:
        return
    unsent = f"; {counts.unsent:,} unsent or aborted by the client" if counts.unsent else ""
    switchover = counts.by_phase.get(PhaseName.SWITCHOVER)
    if switchover is None:
        value = f"{text.of_total(counts.failed, counts.total)} {noun}" if counts.total else f"no {noun} sent"
        yield Line("Failed", value + unsent)
        return
    is_seen = verdict.outage is not None and verdict.outage.kind is not OutageKind.NONE
    during = "during the outage" if is_seen else "after the fault"
    failed = text.of_total(switchover.failed, switchover.total)
    value = f"{failed} {noun} {during}" if switchover.total else f"no {noun} {during}"
    if switchover.late:
        value += f", {switchover.late:,} late"
    if counts.failed != switchover.failed:
        value += f", {counts.failed:,} in all" if is_seen else f"; {counts.failed:,} failed in all"
    yield Line("Failed", value + unsent)


def _dead_line(kind: DeadConnections) -> Line:
    ways = ((kind.by_fin, "FIN"), (kind.by_rst, "RST"), (kind.by_timeout, "timeout"), (kind.untold, "nothing"))
    how = ", ".join(f"{number:,} by {name}" for number, name in ways if number)
    longest = "" if kind.longest_ms is None else f", the last after {text.duration(kind.longest_ms)}"
    return Line(kind.kind, f"{text.of_total(kind.dead, kind.open)} connections cut; noticed: {how or '-'}{longest}")


def _change_lines(verdict: Verdict, changes: Changes) -> Iterator[Line]:
    probes = verdict.probes
    if probes:
        yield Line("New connections", f"{text.of_total(probes.failed, probes.total)} failed")
    quiet = []
    for kind in changes.kinds:
        extra = [
            f"{number:,} {name}"
            for number, name in ((kind.closed_politely, "closed gracefully"), (kind.reset, "reset"))
            if number
        ]
        if kind.lost:
            # A connection may be lost twice in one change, when the virtual address leaves and when it returns.
            is_share = kind.kind != "samples" and kind.lost <= kind.exposed
            lost = text.of_total(kind.lost, kind.exposed) if is_share else f"{kind.lost:,}"
            yield Line(kind.kind, f"{lost} lost", tuple(extra))
        else:
            quiet.append(kind)
    if quiet:
        total = sum(kind.exposed for kind in quiet)
        yield Line("Nothing lost", f"{', '.join(kind.kind for kind in quiet)}: 0 of {total:,}")
    for client in changes.retrying_clients:
        errors = f"{client.client} reported {text.counted(client.raised, 'error')} in {client.requests:,} requests"
        yield Line("Retrying client", f"{errors} and retried {client.resent:,}")
    if changes.lingering:
        after = text.counted(changes.lingering, "change")
        yield Line("Old processes", f"still had connections at the deadline after {after}")
    more = f"; use --times {TRIALS_FOR_ONE_PERCENT + 1}" if changes.made < TRIALS_FOR_ONE_PERCENT else ""
    bound = text.upper_percent(changes.lossy_high)
    yield Line("Confidence", f"up to {bound} of changes may lose something (95 %){more}")


def _timeline(verdict: Verdict) -> Iterator[Line]:
    """Yield a line with the steps of an outage that exceeds its limit, such as `detected +0.140 s`."""
    is_over = any(limit.name is LimitName.OUTAGE and limit.state is State.EXCEEDED for limit in verdict.limits)
    names = {"detection": "detected", "new master elected": "new master", "recovery": "recovered"}
    rows = [row for row in verdict.timeline or () if row.step in names and row.after_kill_ms is not None]
    if is_over and rows:
        yield Line(
            "Timeline",
            "after the fault: " + "; ".join(f"{names[row.step]} {text.signed(row.after_kill_ms)}" for row in rows),
        )


def _with_limits(lines: list[Line], verdict: Verdict) -> list[Line]:
    """Return all lines, with the worst limit first. The line of a figure contains the limit of the figure. If the
    user set no limit, default limits that are kept are not printed."""
    limits = verdict.limits
    if all(limit.default and limit.state is State.KEPT for limit in limits):
        return lines
    unlimited = {line.name: line for line in lines}
    marked = []
    for limit in limits:
        base = unlimited.pop(_LINE_OF_LIMIT.get(limit.name, ""), None)
        marked.append(_limited(base, limit))
    order = list(MARKS.values())
    rest = [line for line in lines if unlimited.get(line.name) is line]
    return [*sorted(marked, key=lambda line: order.index(line.mark)), *rest]


def _limited(base: Line | None, limit: Limit) -> Line:
    known = base.notes if base else ()
    note = () if not limit.note or limit.note.partition(":")[0] in known else (limit.note,)
    maximum = f"limit {text.limit_text(limit)}"
    if base is None or limit.name is LimitName.OUTAGE or limit.name is LimitName.FAILBACK:
        value, bounds = text.limit_figure(limit)
        base = base or Line(limit.name.replace("-", " ").capitalize(), value)
        return replace(
            base, value=value, bounds=bounds, mark=MARKS[limit.state], limit=maximum, notes=(*known, *note)
        )
    if limit.limit == 0 and limit.state is State.KEPT:
        maximum = ""
    return replace(base, mark=MARKS[limit.state], limit=maximum)
