"""The summary: one screen, trust first, every figure beside the source that can contradict it."""

from collections.abc import Mapping, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from switchover.analysis.artefacts import Artefact, ArtefactName
from switchover.analysis.limit_result import NO_CLOCKS, NO_SOURCE, LimitResult, State
from switchover.analysis.outage import Outage
from switchover.analysis.phases import PhaseName
from switchover.analysis.population import Counts
from switchover.analysis.prediction_fit import REJECTED_BELOW
from switchover.analysis.probes import NO_PROBER, why_unprobed
from switchover.analysis.repeats import Repeats
from switchover.analysis.status import LOUDEST_FIRST
from switchover.analysis.verdict import Verdict
from switchover.report.advice import ADVICE
from switchover.report.change_table import change_table
from switchover.report.dead_table import dead_table
from switchover.report.load_and_probes import beside_each_other, silence_lines
from switchover.report.tables import figures_table
from switchover.report.text import (
    at_most,
    bound,
    detection_limit_text,
    limit_status,
    limit_value,
    milliseconds,
    outage_text,
    share,
    split_brain_text,
    step_cells,
    what_was_done,
    window,
)
from switchover.verdict.reasons import word_of

SHOWN = 3
"""Reasons in the summary; the details have them all."""
LISTED = 4
"""Kinds and names that a line has room for."""
WARNINGS = 3
"""Warnings in the summary, each complete."""

REPEAT_COLUMNS = ("drill", "outage", "bound", "failback", "in window", "split brain", "unaccounted", "verdict")

Figure = tuple[str, str, str]
"""What it is, how much, and who says so too."""


def summary(verdict: Verdict) -> RenderableType:
    """One screen: the word and why, what the pair cost, what users felt. Text from the network is no markup."""
    parts: list[RenderableType] = [_heading(verdict), *_because(verdict, SHOWN), figures_table(headlines(verdict))]
    parts += _connections(verdict)
    if verdict.warnings:
        parts.append(_list("warning", "yellow", verdict.warnings, WARNINGS))
    return Group(*parts, _limits(verdict))


def details(verdict: Verdict) -> RenderableType:
    """Every figure beside the source that can contradict it, the steps, and the load beside the probes."""
    parts: list[RenderableType] = [_heading(verdict), *_because(verdict, len(verdict.reasons))]
    parts += [figures_table(figures(verdict)), *_connections(verdict)]
    if verdict.figures.samples is not None:
        parts.append(beside_each_other(verdict))
    if verdict.events.timeline:
        parts.append(_timeline(verdict))
    parts += [Text(line, style="dim") for line in _checks(verdict)]
    if verdict.warnings:
        parts.append(_list("warning", "yellow", verdict.warnings, len(verdict.warnings)))
    return Group(*parts, _limits(verdict))


def _connections(verdict: Verdict) -> list[RenderableType]:
    """What became of those that were open."""
    changes, dead = verdict.figures.changes, verdict.figures.dead
    return [*([change_table(changes)] if changes is not None else []), *([dead_table(dead)] if dead else [])]


def headlines(verdict: Verdict) -> list[tuple[str, str]]:
    """What a reader asks first, in this order, each in one line or two."""
    outage = verdict.events.outage
    cost = why_unprobed(verdict.run) if outage is None else outage_text(outage)
    fit = verdict.figures.prediction
    if fit is not None and fit.low_ms is not None:
        cost += f"; predicted {window(fit.low_ms, fit.high_ms)}: {_inside(fit.inside)}"
    found = [("the pair cost" if verdict.figures.changes is None else "fresh connections", cost)]
    if verdict.figures.silences:
        found = [line for one in verdict.figures.silences for line in silence_lines(one)]
    if verdict.events.failback is not None:
        found.append(("its failback cost", outage_text(verdict.events.failback)))
    stale = [artefact for artefact in verdict.figures.artefacts if artefact.name is ArtefactName.STALE]
    found += [("old connections", stale_text(verdict, artefact)) for artefact in stale]
    found += _failed(verdict)
    found.append(("split brain", _split_brain(verdict)[1]))
    found.append(("unaccounted", _accounting(verdict)[1]))
    return found


def stale_text(verdict: Verdict, artefact: Artefact) -> str:
    """What kept connections cost after the pair was well again. Where it never was away for new ones, that is since
    the fault or the heal."""
    is_failback = artefact.event is PhaseName.FAILBACK
    outage = verdict.events.failback if is_failback else verdict.events.outage
    names = ("failback", "heal") if is_failback else ("switchover", "fault")
    event = names[0] if outage is not None and outage.from_us is not None else names[1]
    failed, last_ms = artefact.figures["failed"], artefact.figures["last_ms"]
    return f"{failed:,} more requests failed up to {last_ms:,} ms after the {event}, stale, tied to the old master"


def _failed(verdict: Verdict) -> list[tuple[str, str]]:
    """The count of the switchover is the one to quote; what fell elsewhere is named beside it."""
    population, name = verdict.figures.requests, "requests" if verdict.figures.samples else "probes"
    if population is None:
        return []
    quoted = population.by_phase.get(PhaseName.SWITCHOVER)
    whole = population.whole
    if quoted is None:
        return [("failed", _of_all(whole, name))]
    late = f", {quoted.late:,} late" if quoted.late else ""
    quotable = f"{_of_all(quoted, name)} of the switchover{late}: quote these"
    found = [("failed", quotable if quoted.total else f"no {name} in the switchover")]
    elsewhere = [
        f"{counts.failed:,} {_WHERE[phase]}"
        for phase, counts in population.by_phase.items()
        if phase is not PhaseName.SWITCHOVER and counts.failed
    ]
    if elsewhere:
        found.append(("", f"{whole.failed:,} in the whole run: besides {', '.join(elsewhere)}"))
    return found


def _of_all(counts: Counts, name: str) -> str:
    return f"{share(counts.failed, counts.total)} {name}" if counts.total else f"no {name}"


_WHERE = {
    PhaseName.BASELINE: "before the fault",
    PhaseName.ON_BACKUP: "between switchover and heal",
    PhaseName.FAILBACK: "in the failback",
    PhaseName.RECOVERED: "after the failback",
}


def _inside(inside: bool | None) -> str:
    return {True: "inside", False: "OUTSIDE", None: "cannot be compared"}[inside]


def _checks(verdict: Verdict) -> list[str]:
    """What the sources of the fault and of the pair say."""
    confirmation = verdict.confirmation.checks if verdict.confirmation else ()
    whole = verdict.restoration.checks if verdict.restoration else ()
    statuses = {True: "yes", False: "NO", None: "not known"}
    lines = [f"effect, {check.name}: {statuses[check.holds]}, {check.text}" for check in confirmation]
    return [*lines, *(f"pair, {check.name}: {statuses[check.holds]}, {check.text}" for check in whole)]


def figures(verdict: Verdict) -> list[Figure]:
    """The lines of the summary, as plain text."""
    outage = verdict.events.outage
    found = [("outage", "unknown", why_unprobed(verdict.run))]
    if outage is not None:
        found = [("outage", outage_text(outage), _loss(verdict, outage))]
    if verdict.figures.silences:
        lines = [line for one in verdict.figures.silences for line in silence_lines(one)]
        found = [(*line, "by the load's own responses") for line in lines]
    fit = verdict.figures.prediction
    if fit is not None:
        reason = verdict.run.fault.predict_reason if verdict.run.fault else ""
        found.append(("predicted", f"{window(fit.low_ms, fit.high_ms)}: {_inside(fit.inside)}", reason))
    if verdict.events.failback is not None:
        found.append(("failback", outage_text(verdict.events.failback), _loss(verdict, verdict.events.failback)))
    found += _counts(verdict)
    found.append(_split_brain(verdict))
    found.append(_distribution(verdict))
    found.append(_accounting(verdict))
    found.append(_generator(verdict))
    return found


def repeat_table(repeats: Repeats) -> RenderableType:
    """Drills of one fault, one line each, and how their outages lie in the window."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in REPEAT_COLUMNS[:4]:
        table.add_column(name, justify="right", no_wrap=True)
    for name in REPEAT_COLUMNS[4:]:
        table.add_column(name)
    for number, (_, verdict) in enumerate(repeats.drills, start=1):
        table.add_row(*(Text(cell) for cell in repeat_row(str(number), verdict)))
    return Group(table, *(Text(line) for line in series_lines(repeats)))


def repeat_row(name: str, verdict: Verdict) -> tuple[str, ...]:
    """A drill under `REPEAT_COLUMNS`."""
    outage, inside = verdict.events.outage, verdict.figures.prediction.inside if verdict.figures.prediction else None
    unaccounted = verdict.figures.accounting.unaccounted
    split_brain = verdict.figures.split_brain
    return (
        name,
        "unknown" if outage is None else at_most(outage),
        bound(outage) if outage and outage.gaps and not outage.censored else "",
        at_most(verdict.events.failback) if verdict.events.failback else "-",
        {True: "yes", False: "NO", None: "-"}[inside],
        "unknown" if split_brain is None else split_brain_text(split_brain),
        "-" if unaccounted is None else str(unaccounted),
        verdict.status.value,
    )


def series_lines(repeats: Repeats) -> list[str]:
    """What the drills say together."""
    series = repeats.series
    left_out = f"{series.not_recovered} not recovered, {series.invalid} invalid, {repeats.less_sharp} less sharp"
    lines = [f"{len(repeats.drills)} of {repeats.asked} drills; {left_out}"]
    if not series.outages_ms:
        return [*lines, "no drill that can be trusted recovered: there is no distribution"]
    ranked = sorted(series.outages_ms)
    middle = ranked[len(ranked) // 2] if len(ranked) % 2 else sum(ranked[len(ranked) // 2 - 1 :][:2]) / 2
    lines.append(f"outage: {ranked[0]:,.0f} to {ranked[-1]:,.0f} ms, median {middle:,.0f} ms, {len(ranked)} drills")
    if series.low_ms is not None:
        outside = "" if series.outside is None else f": {series.outside} outside"
        refuted = ", REFUTED" if series.is_refuted_by_window else ""
        lines.append(f"predicted: {window(series.low_ms, series.high_ms)}{outside}{refuted}")
    if series.p is not None and series.distance is not None:
        judged = f"REFUTED (p < {REJECTED_BELOW:g})" if series.is_refuted_by_fit else "agrees"
        fit = f"Kolmogorov D = {series.distance:.3f}, p = {series.p:.3g}"
        lines.append(f"uniform over the window: {judged}, {fit}")
    return lines


def _heading(verdict: Verdict) -> Text:
    text = Text()
    text.append(verdict.status.value, style="bold green" if verdict.exit_code == 0 else "bold red")
    text.append(f"  {verdict.run.id}", style="bold")
    done = what_was_done(verdict)
    if done:
        text.append(f"  {done}")
    return text


def _because(verdict: Verdict, limit: int) -> list[RenderableType]:
    """The loudest reason first."""
    ranked = sorted(verdict.reasons, key=lambda reason: LOUDEST_FIRST.index(word_of(reason)))
    if not ranked:
        return []
    because = _list("because", "bold red", [reason.text for reason in ranked], limit)
    advice = ADVICE.get(verdict.status)
    return [because, _list("next", "bold", [advice], 1)] if advice else [because]


def _list(status: str, style: str, lines: Sequence[str], limit: int) -> RenderableType:
    shown = [Text.assemble((f"{status}: ", style), line) for line in lines[:limit]]
    if len(lines) > limit:
        shown.append(Text(f"and {len(lines) - limit} more, with --details", style="dim"))
    return Group(*shown)


def _loss(verdict: Verdict, outage: Outage) -> str:
    """The loss-derived figure with what makes it differ; how many gaps there were, if not one; and what else may have
    come unseen."""
    if not outage.gaps or outage.loss_derived_ms is None:
        return ""
    timeout = verdict.run.settings.timeout_read_ms
    within = f", time-out {timeout / 1000:g} s" if timeout is not None else ""
    gaps = f"{len(outage.gaps):,} gaps; " if len(outage.gaps) > 1 else ""
    later = f"; {len(outage.later_gaps):,} later" if outage.later_gaps else ""
    return f"{gaps}by losses {outage.loss_derived_ms:,.0f} ms{within}{later}; {detection_limit_text(outage)}"


def _counts(verdict: Verdict) -> list[Figure]:
    """Failures in the switchover, or in all where there was none."""
    found: list[Figure] = []
    for name, population in (("failed probes", verdict.figures.probes), ("failed samples", verdict.figures.samples)):
        if population is not None:
            counts = population.by_phase.get(PhaseName.SWITCHOVER, population.whole)
            late = f", {counts.late:,} late" if counts.late else ""
            unsent = f"; {counts.unsent:,} not sent by the client" if counts.unsent else ""
            found.append((name, share(counts.failed, counts.total) + late + unsent, _by_kind(counts)))
    return found


def _by_kind(counts: Counts) -> str:
    ranked = sorted(counts.by_kind.items(), key=lambda entry: -entry[1])
    return ", ".join(f"{kind} {number:,}" for kind, number in ranked[:LISTED])


def _split_brain(verdict: Verdict) -> Figure:
    found = verdict.figures.split_brain
    if found is None:
        return "split brain", "unknown", NO_SOURCE
    if found.length.high is None:
        return "split brain", f"{milliseconds(found.total_us)} as the lines arrived", NO_CLOCKS
    value = split_brain_text(found)
    longest = found.longest_handover_us
    return "split brain", value, f"handovers up to {longest / 1000:.1f} ms" if longest else "owners observed on all"


def _distribution(verdict: Verdict) -> Figure:
    phases = verdict.figures.distribution.by_phase
    before, after = (
        " and ".join(phases.get(name, {}).get("balancers", {})) for name in (PhaseName.BASELINE, PhaseName.ON_BACKUP)
    )
    answering = f"{before} before, {after} after" if after else before
    kept = [turns.kept for turns in verdict.figures.distribution.turns]
    turns = "" if not kept else "; round robin kept" if all(kept) else "; round robin NOT kept"
    found = verdict.figures.distribution
    moved = "" if found.sessions is None else f"; {found.sessions_moved or 0:,} of {found.sessions:,} sessions moved"
    backends = phases.get(PhaseName.BASELINE, {}).get("backends", {})
    return "answered by", answering or "unknown", _shares(backends) + turns + moved


def _shares(counts: Mapping[str, int]) -> str:
    total = sum(counts.values())
    return ", ".join(f"{name} {count / total:.0%}" for name, count in list(counts.items())[:LISTED])


def _accounting(verdict: Verdict) -> Figure:
    found = verdict.figures.accounting
    checks = f"{found.equal} of {len(found.lines)} counts equal"
    if found.unaccounted is None:
        uncounted = (
            f"no counters of {', '.join(found.uncounted)}" if found.uncounted else "the balancers did not count"
        )
        why = uncounted if found.dedicated else "not all traffic is ours"
        return "unaccounted", "unknown", f"{why}; {checks}"
    return "unaccounted", f"{found.unaccounted:,} requests", f"{checks}, {found.explained:,} requests explained"


def _generator(verdict: Verdict) -> Figure:
    account = verdict.run.generator
    scheduled, unsent = account.scheduled, account.unsent
    if scheduled is None or unsent is None:
        return "generator", "unknown", "" if verdict.figures.probes is not None else NO_PROBER
    p99, cpu = account.lag_p99_ms, account.cpu_percent
    lag = "" if p99 is None else f"lag p99 {p99:.1f} ms"
    core = "" if cpu is None else f"{cpu:.0f} % of a core"
    return "generator", f"{scheduled:,} probes, {unsent:,} unsent", ", ".join(filter(None, (lag, core)))


def _timeline(verdict: Verdict) -> RenderableType:
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column(justify="right")
    table.add_column(style="dim", overflow="fold")
    for row in verdict.events.timeline:
        table.add_row(*map(Text, step_cells(row)))
    return Padding(table, (0, 0, 0, 2))


def _limits(verdict: Verdict) -> Text:
    if not verdict.limits:
        return Text("no limit was given", style="dim")
    text = Text()
    for index, result in enumerate(verdict.limits):
        text.append("   " if index else "")
        text.append(*_limit(result))
    return text


def _limit(result: LimitResult) -> tuple[str, str]:
    value = limit_value(result)
    style = "green" if result.state is State.KEPT else "bold red"
    return f"{result.limit} {limit_status(result)}" + (f" ({value})" if value else ""), style
