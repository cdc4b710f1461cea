"""The headings of the page in the order in which a reader asks, each with its charts and its tables."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from switchover.analysis.probes import NO_PROBER
from switchover.analysis.run_data import RunData
from switchover.analysis.verdict import Verdict
from switchover.report.change_table import change_lines
from switchover.report.dead_table import COLUMNS as DEAD_COLUMNS
from switchover.report.dead_table import dead_row
from switchover.report.load_and_probes import longest_gap_text
from switchover.report.page import change_tables, run_tables, source_tables, verdict_tables
from switchover.report.page.charts import TimeAxis
from switchover.report.page.colours import Colours
from switchover.report.page.table import Cell, Table, number
from switchover.report.page.telemetry import events
from switchover.rundir.points import Point

EVENTS_LIMIT = 300


@dataclass(frozen=True, slots=True)
class Chart:
    """`name` is what `assets/page.js` calls it; `says` describes it to those who cannot see it."""

    name: str
    title: str
    says: str


@dataclass(frozen=True, slots=True)
class Section:
    id: str
    title: str
    lead: str
    charts: Sequence[Chart] = ()
    notes: Sequence[str] = ()
    tables: Sequence[Table] = ()
    folded: Sequence[Table] = ()
    """Tables that are opened by those who want them."""
    files: Sequence[tuple[str, str]] = ()
    command: str = ""


def _chart(name: str, title: str, held: str) -> Chart:
    """One whose figures stand in the tables."""
    return Chart(name, title, f"The tables after this chart have {held}.")


def sections_of(verdict: Verdict, data: RunData, clock: TimeAxis, colours: Colours, directory: Path) -> list[Section]:
    found = [
        _changes(verdict),
        _dead(verdict),
        _timeline(verdict, data, clock),
        _checks(verdict),
        _traffic(verdict),
        _latency(verdict),
        _shares(verdict, data, colours),
        _counters(verdict, data),
        _accounting(verdict),
        _failures(verdict),
        _generator(verdict),
        _run(verdict, directory),
    ]
    return [_filled(section) for section in found if section is not None]


def _filled(section: Section) -> Section:
    """Without tables that say nothing."""
    tables, folded = ([table for table in some if table.rows] for some in (section.tables, section.folded))
    return replace(section, tables=tables, folded=folded)


def _changes(verdict: Verdict) -> Section | None:
    changes = verdict.figures.changes
    if changes is None:
        return None
    return Section(
        "changes",
        "What the changes cost the connections that were open",
        "Each column is a change, each row a kind of connection. A close that came before the next request, or was "
        "announced, is polite, and no loss. A wait is marked where it was longer than between the changes.",
        charts=[_chart("changes", "All changes", "the sums and the losses")],
        notes=change_lines(changes, losses=0),
        tables=[change_tables.kinds_table(changes), change_tables.losses_table(changes)],
    )


def _dead(verdict: Verdict) -> Section | None:
    rows = []
    for place, kind in enumerate(verdict.figures.dead):
        first, *more = dead_row(kind)
        keys = ("open", "dead", "by_fin", "by_rst", "by_timeout", "untold", "median_ms", "longest_ms")
        cells = (number(text, f"/dead_connections/{place}/{key}") for key, text in zip(keys, more, strict=True))
        rows.append((Cell(first), *cells))
    if not rows:
        return None
    return Section(
        "dead",
        "How long connections were dead before their owners could know",
        "Of the connections that a client had kept open when the fault came: what told it that one was dead, and how "
        "long after the fault. Streams had no time-out of their own: what is untold was waited for to the end.",
        tables=[Table("By kind of connection", DEAD_COLUMNS, rows)],
    )


def _timeline(verdict: Verdict, data: RunData, clock: TimeAxis) -> Section | None:
    if not verdict.events.timeline:
        return None
    return Section(
        "timeline",
        "Timeline of the switchover",
        "Each step at its time after the kill, with the bound within which its source saw it. The band behind them "
        "is the window in which, by theory, the service was to be back. Below: who held the virtual address.",
        charts=[Chart("timeline", "Steps of the switchover", "The table after this chart has every step.")],
        tables=[verdict_tables.timeline_table(verdict)],
        folded=[verdict_tables.outage_table(verdict), journal_table(data.points, clock)],
    )


def journal_table(points: Iterable[Point], clock: TimeAxis) -> Table:
    rows = [
        (number(f"{clock.at(at_us):+,.3f} s"), Cell(kind), Cell(node), Cell(text))
        for at_us, kind, node, text in events(points)[:EVENTS_LIMIT]
    ]
    return Table("What the sources told", ("after the kill", "kind", "node", "text"), rows)


def _checks(verdict: Verdict) -> Section | None:
    if verdict.confirmation is None:
        return None
    notes = (
        [] if verdict.restoration else ["Nothing was healed long enough before the end to look at the pair again."]
    )
    return Section(
        "checks",
        "Did the fault take effect, and is the pair whole again?",
        "Told by sources that know nothing of the commands that fired and healed the fault. One that contradicts a "
        "command wins; one that was not there, or could not tell, decides nothing.",
        notes=notes,
        tables=source_tables.checks_tables(verdict),
    )


def _traffic(verdict: Verdict) -> Section:
    notes = [f"load: {artefact.text}" for artefact in verdict.figures.artefacts]
    if verdict.figures.longest_gap is not None:
        notes = [longest_gap_text(verdict.figures.longest_gap), *notes]
    return Section(
        "traffic",
        "Requests per second",
        "Counted when they ended. Good answers stand on the axis, by the backend that gave them and by the balancer "
        "that passed them on; what failed or came late hangs below it.",
        charts=[_chart("traffic", "By backend and by balancer", "the counts of each phase")],
        notes=notes,
        tables=[
            *([verdict_tables.silences_table(verdict)] if verdict.figures.silences else []),
            *verdict_tables.phases_tables(verdict),
            verdict_tables.labels_table(verdict),
        ],
    )


def _latency(verdict: Verdict) -> Section:
    return Section(
        "latency",
        "Latency",
        "Of good and late answers. From the actual send is what the client saw; from the schedule adds what a "
        "request that was due had to wait for a client that was held up (coordinated omission). In a closed loop "
        "nothing is scheduled, so there is only the first view.",
        charts=[_chart("latency", "Median, 99th percentile and maximum", "them for each phase")],
        tables=verdict_tables.latency_tables(verdict),
    )


def _shares(verdict: Verdict, data: RunData, colours: Colours) -> Section:
    found = verdict.figures.distribution
    notes = []
    if found.chi_square is not None:
        chi = found.chi_square
        notes.append(f"chi-square {chi.statistic:,.3f} with {chi.degrees} degrees of freedom: p = {chi.p:.3g}")
    if found.sessions is not None:
        notes.append(f"{found.sessions_moved or 0:,} of {found.sessions:,} sessions left a backend that was up")
    return Section(
        "shares",
        "Who answered",
        "The share of each backend and of each balancer in each phase, probes and load together. "
        + (f"The algorithm is {found.algorithm}. " if found.algorithm else "")
        + "Marks across the bars are the expected shares, where the algorithm makes them certain.",
        charts=[_chart("shares", "Shares by phase", "every share in this chart")],
        notes=notes,
        tables=[source_tables.turns_table(verdict)],
        folded=[source_tables.shares_table(verdict, data.points, colours)],
    )


def _counters(verdict: Verdict, data: RunData) -> Section:
    table = source_tables.counters_table(verdict, data.points)
    return Section(
        "counters",
        "What the balancers counted",
        "The balancers' own counters, of all traffic: ours and that of others. A line ends where its process did.",
        charts=[_chart("counters", "Requests, sessions, queue and errors", "the totals")],
        tables=[table],
    )


def _accounting(verdict: Verdict) -> Section:
    found = verdict.figures.accounting
    differ, equal = source_tables.accounting_tables(verdict)
    notes = [] if found.lines else ["There is no other count to compare with."]
    if found.lines and not differ.rows:
        notes.append("Every count is equal.")
    if not found.dedicated:
        notes.append("Others use this target too, so a source may count more than was sent, but never less.")
    if found.uncounted:
        notes.append(
            f"The counters of {', '.join(found.uncounted)} were to be read from before the load on, and were not."
        )
    return Section(
        "accounting",
        "Does everybody count the same?",
        "What the client counted, against each other count of it. A difference must be explained by a named fact, "
        "or it is unaccounted.",
        notes=notes,
        tables=[differ],
        folded=[equal],
    )


def _failures(verdict: Verdict) -> Section:
    return Section(
        "failures",
        "Failures by kind",
        "Why requests failed, as the client saw it. What the client itself could not send is not among them.",
        charts=[_chart("failures", "Failures per second", "the counts of each phase")],
        tables=verdict_tables.failures_tables(verdict),
    )


def _generator(verdict: Verdict) -> Section:
    account = verdict.figures.probes is not None
    return Section(
        "generator",
        "Did the generator do its part?",
        "Probes that do not leave on time see nothing of what happened meanwhile; then the run is invalid.",
        charts=[
            _chart("lag", "How late probes were sent", "the figures of the whole run"),
            Chart("machine", "What the machine took each second", "Stolen and waiting time explain late probes."),
        ],
        notes=[] if account else [NO_PROBER],
        tables=[run_tables.generator_table(verdict)] if account else [],
        folded=[run_tables.workers_table(verdict.run)],
    )


def _run(verdict: Verdict, directory: Path) -> Section:
    run = verdict.run
    tables = (
        run_tables.plan_table(run),
        run_tables.values_table("Versions", ("program", "version"), run.versions),
        run_tables.values_table("Settings", ("setting", "value"), run.settings.written),
        run_tables.values_table("Target", ("", "value"), run.target.written),
    )
    return Section(
        "run",
        "What was run",
        "Enough to run it again: the command, its seed, the settings, the versions and the configuration.",
        notes=[] if run.command else ["The command is not known."],
        command=run_tables.run_command(run),
        folded=tables,
        files=run_tables.config_files(directory),
    )
