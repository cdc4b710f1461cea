"""The page of one run: tables over verdict.json, and charts over series.json. The template has the text."""

import shlex
from collections.abc import Iterable, Sequence
from typing import Any

from switchover.report import figures_text as text
from switchover.report import tables
from switchover.report.documents import Judged, Tree, tree_of
from switchover.report.page.document import REPORT, document
from switchover.report.summary import summarize
from switchover.report.tables import Cell, Table, number
from switchover.verdict.record import Verdict

BACKENDS, BALANCERS = 8, 4
"""The number of colours that colour-blind people can also distinguish. Other names are grey."""
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
    """Return the page with all facts of the two documents, in the order of interest to a reader."""
    run = series.run
    judged = Judged(verdict, run)
    colours = _colours(series)
    charts = {name: value for name, value in series.items() if name not in ("run", "events", "generations", "schema")}
    charts |= {"colours": colours, "timeline": _timeline(verdict, series) if run.is_fired else None}
    return document(
        "report.html.j2",
        REPORT,
        charts,
        title=f"{verdict.status}: {run.id}",
        run=run,
        verdict=verdict,
        summary=summarize(judged),
        when=text.utc(run.plan.start_us),
        tables=_tables(judged, series, colours),
        command=_command(run),
        populations=[one.name for one in series.populations],
        stops=[phase for phase in series.phases if phase.name in ("switchover", "failback")],
    )


def _tables(judged: Judged, series: Tree, colours: Tree) -> dict[str, Sequence[Table]]:
    """Return the tables by the name that the template uses."""
    verdict, run = judged
    differ, equal = tables.accounting_tables(verdict)
    changes = verdict.changes
    return {
        "changes": [tables.kinds_table(changes), tables.losses_table(changes)] if changes else [],
        "dead": [tables.dead_table(verdict.dead_connections or ())],
        "timeline": [tables.timeline_table(verdict)],
        "outage": [tables.outage_table(judged)],
        "events": [_events_table(series.events)],
        "checks": list(tables.checks_tables(verdict)),
        "phases": [tables.silences_table(verdict), *tables.phases_tables(verdict), tables.labels_table(verdict)],
        "schedule": list(tables.schedule_tables(verdict)),
        "turns": [tables.turns_table(verdict)],
        "shares": [tables.shares_table(verdict, series.shares, colours)],
        "counters": [_generations_table(series.generations)],
        "differ": [differ],
        "equal": [equal],
        "failures": list(tables.failures_tables(verdict)),
        "generator": [tables.generator_table(verdict)],
        "run": [
            Table(
                "Times",
                ("", "UTC"),
                [(Cell(name), number(text.utc(run.plan[at]))) for at, name in MOMENTS if run.plan[at]],
            )
        ],
    }


def _colours(series: Tree) -> Tree:
    """Return the style sheet's classes by name. A backend or balancer has the same colour on the whole page."""
    nodes = series.run.target.get("nodes") or []
    found = {}
    for what, role, prefix, most in (
        ("backends", "backend", "web", BACKENDS),
        ("balancers", "balancer", "lb", BALANCERS),
    ):
        names = {node["name"] for node in nodes if node.get("role") == role}
        names |= {name for population in series.populations for name in population[what]}
        if role == "balancer":
            names |= {owner.node for owner in series.owners}
        found[what] = {
            name: f"{prefix}-{place}" if place < most else "grey"
            for place, name in enumerate(sorted(filter(None, names)))
        }
    colours: Tree = tree_of(found)
    return colours


def _timeline(verdict: Verdict, series: Tree) -> dict[str, Any]:
    """Return the data of the chart of steps."""
    zero_us, fit = series.zero_us, verdict.prediction

    def at(time_us: float) -> float:
        return float(round((time_us - zero_us) / 1e6, 4))

    predicted = None
    if fit and fit.low_ms is not None:
        high = None if fit.high_ms is None else round(fit.high_ms / 1000, 4)
        predicted = {"low": round(fit.low_ms / 1000, 4), "high": high, "text": text.window(fit.low_ms, fit.high_ms)}
    heals = [mark.at for mark in series.marks if mark.name == "heal"]
    return {
        "steps": [
            {
                "name": row.step,
                "at": None if row.at_us is None else at(row.at_us),
                "bound": None if row.bound_ms is None else round(row.bound_ms / 1000, 4),
                "text": f"{text.signed(row.after_kill_ms)} {text.tolerance(row.bound_ms)}".strip(),
                "source": row.source,
            }
            for row in verdict.timeline or ()
        ],
        "predicted": predicted,
        "away": [one | {"text": _away_text(one)} for one in series.away],
        "heal": heals[0] if heals else None,
        "owners": series.owners,
        "overlaps": [
            {"from": at(one.from_us), "to": at(one.to_us), "text": text.duration(one.duration_ms)}
            for one in (verdict.split_brain.overlaps[:200] if verdict.split_brain else ())
        ],
    }


def _away_text(gap: Tree) -> str:
    if gap.low_ms is None:
        return ""
    return text.at_least(gap.low_ms) if gap.high_ms is None else text.duration(gap.high_ms)


def _events_table(events: Iterable[Tree]) -> Table:
    rows = [(number(f"{one.at:+,.3f} s"), Cell(one.kind), Cell(one.node), Cell(one.text)) for one in events]
    return Table("Events of the journal", ("after the fault", "kind", "node", "text"), rows)


def _generations_table(generations: Iterable[Tree]) -> Table:
    rows = [
        (
            Cell(one.node),
            Cell(one.process),
            number(f"{one.requests:,}"),
            Cell(text.kinds(one.by_server, 99)),
            number(f"{one.by_balancer:,}"),
            number(f"{one.retries:,}"),
        )
        for one in generations
    ]
    columns = ("balancer", "process (pid and start)", "requests", "responses by server", "by itself", "retries")
    return Table("HAProxy's counters", columns, rows)


def _command(run: Tree) -> str:
    """Return the command as it was typed, with the seed, so that the fault is fired at the same time again."""
    seed = [] if run.seed is None or "--seed" in run.command or not run.command else ["--seed", str(run.seed)]
    return shlex.join([*run.command, *seed])
