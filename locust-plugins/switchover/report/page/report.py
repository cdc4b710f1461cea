"""The page of one run: tables from verdict.json, and charts from series.json."""

import shlex
from collections.abc import Iterable, Sequence
from typing import Any

from switchover.report import figures_text as text
from switchover.report import tables
from switchover.report.documents import Judged, Tree
from switchover.report.page.document import REPORT, document
from switchover.report.summary import summarize
from switchover.report.tables import Table, number
from switchover.verdict.record import Verdict

COLOURS = (("backends", "web", 8), ("balancers", "lb", 4))
"""For backends and balancers: the prefix and number of their colours in the style sheet, which colour-blind people
can distinguish. Further backends and balancers are grey."""
MOMENTS = (
    ("start_us", "start"),
    ("fired_from_us", "the fault's command started"),
    ("fired_to_us", "the fault's command returned"),
    ("confirmed_us", "the fault was confirmed"),
    ("heal_from_us", "the heal's command started"),
    ("heal_to_us", "the heal's command returned"),
    ("healed_us", "the heal was verified"),
    ("end_us", "end"),
)


def report_page(verdict: Verdict, series: Tree) -> bytes:
    """Return the page with all values of the verdict and of series.json. The most important values are first."""
    run = series.run
    judged = Judged(verdict, run)
    charts = {name: value for name, value in series.items() if name not in ("run", "events", "schema")}
    return document(
        "report.html.j2",
        REPORT,
        charts | {"colours": _colours(series)},
        title=f"{verdict.status}: {run.id}",
        run=run,
        verdict=verdict,
        summary=summarize(judged),
        when=text.utc(run.plan.start_us),
        tables=_tables(judged, series),
        command=_command(run),
        populations=[population.name for population in series.populations],
        stops=[phase for phase in series.phases if phase.name in ("switchover", "failback")],
    )


def _tables(judged: Judged, series: Tree) -> dict[str, Sequence[Table]]:
    verdict, run = judged
    differ, equal = tables.accounting_tables(verdict)
    changes = verdict.changes
    times = [(name, number(text.utc(run.plan[at]))) for at, name in MOMENTS if run.plan[at]]
    return {
        "changes": [tables.kinds_table(changes), tables.losses_table(changes)] if changes else [],
        "timeline": [tables.timeline_table(verdict)],
        "outage": [tables.outage_table(judged)],
        "events": [_events_table(series.events)],
        "checks": list(tables.checks_tables(verdict)),
        "phases": [tables.silences_table(verdict), *tables.phases_tables(verdict), tables.labels_table(verdict)],
        "schedule": list(tables.schedule_tables(verdict)),
        "turns": [tables.turns_table(verdict)],
        "shares": [tables.shares_table(verdict)],
        "differ": [differ],
        "equal": [equal],
        "failures": list(tables.failures_tables(verdict)),
        "generator": [tables.generator_table(verdict)],
        "run": [tables.make_table("Times", ("", "UTC"), times)],
    }


def _colours(series: Tree) -> dict[str, Any]:
    """Return the CSS class of each backend and balancer, so that a name has the same colour in all charts."""
    colours = {}
    for what, prefix, limit in COLOURS:
        names = {name for population in series.populations for name in population[what]}
        colours[what] = {
            name: f"{prefix}-{place}" if place < limit else "grey"
            for place, name in enumerate(sorted(filter(None, names)))
        }
    return colours


def _events_table(events: Iterable[Tree]) -> Table:
    rows = [(number(f"{event.at:+,.3f} s"), event.kind, event.node, event.text) for event in events]
    return tables.make_table("Events of the journal", ("after the fault", "kind", "node", "text"), rows)


def _command(run: Tree) -> str:
    """Return a command that repeats the run with the same seed, so that the fault is fired after the same delay."""
    seed = [] if run.seed is None or "--seed" in run.command or not run.command else ["--seed", str(run.seed)]
    return shlex.join([*run.command, *seed])
