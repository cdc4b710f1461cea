"""The page of one run: what the template says, and what the charts draw."""

from collections.abc import Iterable
from pathlib import Path

from switchover.analysis.phases import PhaseName
from switchover.analysis.run_data import RunData
from switchover.analysis.status import Status
from switchover.analysis.verdict import Verdict
from switchover.model.interval import Span
from switchover.report.advice import ADVICE
from switchover.report.console import figures, headlines
from switchover.report.page.change_tables import strip
from switchover.report.page.charts import TimeAxis, charts_of
from switchover.report.page.colours import Colours, colours_of
from switchover.report.page.document import REPORT, document
from switchover.report.page.run_tables import utc
from switchover.report.page.sections import sections_of
from switchover.report.page.series import RequestSeries, series_of, span_of
from switchover.report.page.telemetry import Held, held
from switchover.report.page.time_grid import grid_of
from switchover.report.page.verdict_tables import limits_table
from switchover.report.sentence import sentence
from switchover.report.text import what_was_done
from switchover.verdict.reasons import word_of

EVENTS = (PhaseName.SWITCHOVER, PhaseName.FAILBACK)
NEAR_US = 5_000_000
"""Before and after an event that is shown in finer stretches: as long as a stability window."""
POPULATIONS = (("load", "samples"), ("probes", "probes"))


def report_page(verdict: Verdict, data: RunData, directory: Path) -> bytes:
    """Everything that the run directory told, in the order in which a reader asks."""
    run, tables = verdict.run, data.tables()
    phases = verdict.events.phases
    clock = _clock(verdict, span_of(tables))
    near = [Span(p.from_us - NEAR_US, p.to_us + NEAR_US) for p in phases if p.name in EVENTS]
    grid = grid_of(clock.from_us, clock.to_us, near)
    has_users = {"samples": "users" in data.samples.columns}
    series = {
        name: series_of(tables, table, grid, with_users=has_users.get(table, False)) for name, table in POPULATIONS
    }
    owners = held(data.points, clock.to_us)
    colours = _colours(verdict, series.values(), owners)
    charts = charts_of(verdict, phases, clock, grid, series, data.points, owners, colours)
    charts["changes"] = strip(verdict.figures.changes, clock)
    return document(
        "report.html.j2",
        REPORT,
        charts,
        title=f"{verdict.status.lower()}: {run.id}",
        run=run,
        when=utc(run.plan.start_us) if run.plan.start_us is not None else "",
        status=verdict.status.lower(),
        done=what_was_done(verdict),
        sentence=sentence(verdict),
        doubted=any(word_of(reason) is Status.INVALID for reason in verdict.reasons),
        well=verdict.exit_code == 0,
        reasons=[reason.text for reason in verdict.reasons],
        advice=ADVICE.get(verdict.status, ""),
        warnings=verdict.warnings,
        headlines=headlines(verdict),
        figures=figures(verdict),
        limits=limits_table(verdict),
        sections=sections_of(verdict, data, clock, colours, directory),
        populations=[population["name"] for population in charts["populations"]],
        stops=[(phase.name.value, clock.at(phase.from_us), clock.at(phase.to_us)) for phase in phases],
    )


def _clock(verdict: Verdict, span: tuple[int, int] | None) -> TimeAxis:
    """From the first to the last moment that anything is known of."""
    plan = verdict.run.plan
    planned = [at_us for at_us in (plan.start_us, plan.end_us) if at_us is not None]
    if span is not None:
        near_us = span[1] - span[0] + NEAR_US
        planned = [at_us for at_us in planned if span[0] - near_us <= at_us <= span[1] + near_us]
    known = [*planned, *(span or ())] or [0]
    zero_us = plan.fired_from_us if plan.fired_from_us is not None else min(known)
    return TimeAxis(zero_us, min(known), max(*known, min(known) + 1))


def _colours(verdict: Verdict, series: Iterable[RequestSeries], owners: Iterable[Held]) -> Colours:
    nodes = verdict.run.target.nodes
    by_role = {role: [node.name for node in nodes if node.role == role] for role in ("backend", "balancer")}
    answered = [pair for one in series for pair in one.answered]
    return colours_of(
        [*by_role["backend"], *(backend for backend, _ in answered)],
        [*by_role["balancer"], *(balancer for _, balancer in answered), *(owner.node for owner in owners)],
    )
