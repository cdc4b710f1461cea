"""The tables of a run, for the page and for `--details`.

A cell with a figure of verdict.json has the figure's place as a JSON pointer (RFC 6901).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from switchover.report import figures_text as text
from switchover.report.documents import Judged, Tree
from switchover.verdict.record import (
    Changes,
    DeadConnections,
    PhaseName,
    Population,
    Row,
    Verdict,
)

TEXT_LENGTH = 400
"""The maximum number of characters of a name, a label or an event that are shown."""
SOURCE_NEEDED = {
    "detection": "Keepalived's FIFO on the victim (vip_owner), or HAProxy's counters for a backend",
    "new master elected": "a vip_owner on each balancer",
    "first impairment": "the prober",
    "clean": "the prober",
}
"""The key of the target file that would provide a source for a step."""


@dataclass(frozen=True, slots=True)
class Cell:
    text: str
    figure: str = ""
    number: bool = False
    colour: str = ""
    """The class of the colour of this backend or balancer, which is the same everywhere."""
    tone: str = ""
    """One of `good`, `bad` and `differs`, or empty."""
    link: str = ""

    @property
    def shown(self) -> str:
        return text.shortened(self.text, TEXT_LENGTH)


@dataclass(frozen=True, slots=True)
class Table:
    """A table. The first cell of a row is its heading."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]] = ()
    note: str = ""

    @property
    def numbers(self) -> set[int]:
        """The columns whose head is aligned like numbers, as their cells are."""
        return {place for row in self.rows for place, cell in enumerate(row) if cell.number}


Column = tuple[str, str, Callable[[Any], str]]
"""The title, the figure's place in the record, and the function that formats it."""


def number(shown: str, figure: str = "", tone: str = "") -> Cell:
    return Cell(shown, figure, number=True, tone=tone)


def pointed(name: str) -> str:
    """Escape an untrusted name for use as one reference token of a JSON pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")


def below(record: Any, place: str) -> Any:
    """Return the value at a place such as `latency_ms/from_send/p99`; None if a part of the place is unknown."""
    for part in place.split("/"):
        if record is None:
            return None
        record = record.get(part) if isinstance(record, Mapping) else getattr(record, part)
    return record


def figure(record: Any, at: str, place: str, form: Callable[[Any], str], tone: str = "") -> Cell:
    """Return the cell of one figure of the record at `at` in verdict.json."""
    value = below(record, place)
    if value is None:
        return number("0" if place.startswith("by_kind/") else text.NOTHING)
    return number(form(value), f"{at}/{place}", "bad" if tone and value else "")


def record_table(
    caption: str,
    at: str,
    records: Iterable[tuple[Cell, object, Any]],
    columns: Sequence[Column],
    note: str = "",
    bad: Iterable[str] = (),
) -> Table:
    """Return a table with a row for each record. `bad`: places whose figures are marked unless 0."""
    rows = [
        (
            head,
            *(
                figure(record, f"{at}/{key}", place, form, place if place in bad else "")
                for _, place, form in columns
            ),
        )
        for head, key, record in records
    ]
    return Table(caption, ("", *(title for title, _, _ in columns)), rows, note)


def detail_tables(judged: Judged) -> Iterator[Table]:
    """List the tables of `--details`, in the order of interest to a reader."""
    verdict = judged.verdict
    found = [
        outage_table(judged),
        timeline_table(verdict),
        *checks_tables(verdict),
        *phases_tables(verdict),
        *failures_tables(verdict),
        turns_table(verdict),
        accounting_tables(verdict)[0],
        generator_table(verdict),
    ]
    return (table for table in found if table.rows)


def populations_of(verdict: Verdict) -> list[tuple[str, str, Population]]:
    """Return each population with its title and its key in verdict.json."""
    found = (("load", "samples", verdict.samples), ("probes", "probes", verdict.probes))
    return [(name, key, population) for name, key, population in found if population is not None]


def outage_table(judged: Judged) -> Table:
    """Return the table of the outage and the failback: intervals, losses, gaps and the prediction."""
    verdict, run = judged
    rows: list[Sequence[Cell]] = []

    def add(name: str, shown: str, meaning: str, place: str = "") -> None:
        rows.append((Cell(name), number(shown, place), Cell(meaning)))

    for name, outage in (("outage", verdict.outage), ("failback", verdict.failback)):
        if outage is None:
            continue
        bounds, limit = text.length_bounds(outage), text.at_most(outage.detection_limit_ms).removeprefix("≤ ")
        notes = [*([f"interval {bounds}"] if bounds else []), *text.outage_notes(outage), f"detection limit {limit}"]
        add(name, text.length(outage), "; ".join(notes), f"/{name}/high_ms" if bounds else "")
        if outage.gap_count and outage.loss_derived_ms is not None:
            timeout = f"; timeout of the client {run.timeout_read_ms / 1000:g} s" if run.timeout_read_ms else ""
            meaning = f"{outage.impaired:,} bad probes divided by their rate{timeout}"
            add(f"loss-derived {name}", text.duration(outage.loss_derived_ms), meaning, f"/{name}/loss_derived_ms")
        if outage.gap_count:
            total, envelope = text.duration(outage.sum_of_gaps_ms), text.duration(outage.envelope_ms)
            meaning = f"{total} in total; {envelope} from the first to the last"
            add(f"gaps of the {name}", f"{outage.gap_count:,}", meaning, f"/{name}/gap_count")
    fit, fault = verdict.prediction, run.fault
    if fit is not None and fault is not None:
        window = text.window(fit.low_ms, fit.high_ms)
        add("predicted outage", f"{window} {text.tolerance(fit.tolerance_ms)}".rstrip(), fault.predict_reason)
        if fault.failback_low_ms is not None:
            add("predicted failback", text.window(fault.failback_low_ms, fault.failback_high_ms), "")
    gap = verdict.load and verdict.load.longest_gap
    if gap:
        add("load without a response", text.duration(gap.duration_ms), "longest", "/load/longest_gap/duration_ms")
    return Table("Outage and failback", ("", "figure", "meaning"), rows)


def timeline_table(verdict: Verdict) -> Table:
    rows = [
        (
            Cell(row.step),
            number(
                text.signed(row.after_kill_ms), f"/timeline/{place}/after_kill_ms" * (row.after_kill_ms is not None)
            ),
            number(text.tolerance(row.bound_ms), f"/timeline/{place}/bound_ms" * (row.bound_ms is not None)),
            Cell(source_of(row)),
        )
        for place, row in enumerate(verdict.timeline or ())
    ]
    return Table("Timeline", ("step", "after the fault", "±", "source"), rows)


def source_of(row: Row) -> str:
    """Return the source of a step. If the step is unknown, return the source that would have seen it."""
    if row.at_us is None and row.source == "unknown":
        needed = SOURCE_NEEDED.get(row.step)
        return f"unknown: {needed} would show it" if needed else "unknown"
    return f"{row.source}; order unknown" if row.order_unknown else row.source


def checks_tables(verdict: Verdict) -> Iterator[Table]:
    """Make the tables of confirmation and restoration."""
    statuses = {True: ("yes", "good"), False: ("NO", "bad"), None: ("unknown", "")}
    for caption, found in (
        ("Confirmation of the fault", verdict.confirmation),
        ("The pair after the heal", verdict.restoration),
    ):
        rows = [
            (
                Cell(one.name.replace("_", " ")),
                Cell(statuses[one.holds][0], tone=statuses[one.holds][1]),
                Cell(one.text),
            )
            for one in (found.checks if found else ())
        ]
        yield Table(caption, ("source", "", "observation"), rows)


def phases_tables(verdict: Verdict) -> Iterator[Table]:
    """Make the tables of rate, failures and latency of the load and of the probes in each phase."""
    for name, key, population in populations_of(verdict):
        users = any(counts.users is not None for counts in population.by_phase.values())
        columns: list[Column] = [
            ("per second", "rate", text.count),
            *([("users", "users", text.count)] if users else []),
            ("sent", "total", text.count),
            ("failed", "failed", text.count),
            ("late", "late", text.count),
            *((f"{one} ms", f"latency_ms/from_send/{one}", text.latency) for one in ("p50", "p90", "p99", "max")),
        ]
        records = [(Cell(p), p, population.by_phase[p]) for p in PhaseName if p in population.by_phase]
        note = "Latency of good and late responses, from the actual send."
        yield record_table(f"{name}, by phase", f"/{key}/by_phase", records, columns, note, ("failed", "late"))


def schedule_tables(verdict: Verdict) -> Iterator[Table]:
    """Make the tables of latency from the scheduled send, if there was a schedule."""
    for name, key, population in populations_of(verdict):
        records = [
            (Cell(phase), phase, counts)
            for phase, counts in population.by_phase.items()
            if below(counts, "latency_ms/from_schedule") is not None
        ]
        columns = [
            (f"{one} ms", f"latency_ms/from_schedule/{one}", text.latency) for one in ("p50", "p90", "p99", "max")
        ]
        yield record_table(f"{name}, latency from the scheduled send", f"/{key}/by_phase", records, columns)


def failures_tables(verdict: Verdict) -> Iterator[Table]:
    """Make the tables of failure kinds by phase, of the load and of the probes."""
    for name, key, population in populations_of(verdict):
        phases = list(population.by_phase)
        rows = []
        places = [*((kind, f"by_kind/{kind}") for kind in population.by_kind), ("all", "failed"), ("sent", "total")]
        if population.unsent:
            places.append(("not sent by the client", "unsent"))
        for title, place in places:
            of_phases = (figure(population.by_phase[p], f"/{key}/by_phase/{p}", place, text.count) for p in phases)
            rows.append((Cell(title), figure(population, f"/{key}", place, text.count), *of_phases))
        yield Table(f"{name}, failed", ("kind", "all", *phases), rows)


def labels_table(verdict: Verdict) -> Table:
    """Return the table of the requests of each label, the most common label first."""
    load = verdict.load
    records = [(Cell(one.label), place, one) for place, one in enumerate((load and load.labels) or ())]
    columns = [
        ("requests", "total", text.count),
        ("failed", "failed", text.count),
        *((f"{one} ms", f"{one}_ms", text.latency) for one in ("p50", "p95", "p99")),
    ]
    more = f" {load.more_labels:,} more labels are in no table." if load and load.more_labels else ""
    note = f"Latency of good and late responses, from the actual send.{more}"
    return record_table("load, by label", "/load/labels", records, columns, note, ("failed",))


def silences_table(verdict: Verdict) -> Table:
    """Return the table of the longest times without a good response, of each log and label."""
    rows: list[Sequence[Cell]] = []
    for place, found in enumerate((verdict.load and verdict.load.silences) or ()):
        for name, one in (("outage", found.outage), ("longest", found.longest)):
            if one is None or (name == "longest" and found.outage and one.from_us == found.outage.from_us):
                continue
            at = f"/load/silences/{place}/{name}"
            high = "to the end of the log" if one.high_ms is None else text.at_most(one.high_ms)
            rows.append(
                (
                    Cell(" of ".join(filter(None, (found.label, found.file))) or "all requests"),
                    Cell(name),
                    Cell(f"{text.utc(one.from_us)} UTC"),
                    number(text.at_least(one.low_ms)),
                    number(high),
                    number(f"{one.failed:,}", f"{at}/failed"),
                    Cell(text.kinds(one.by_kind, 9)),
                    number(f"{one.in_progress:,}", f"{at}/in_progress"),
                )
            )
    columns = ("requests", "silence", "last good response", "at least", "at most", "failed", "kinds", "in progress")
    return Table("Time without a good response", columns, rows)


def turns_table(verdict: Verdict) -> Table:
    rows = [
        (
            Cell(f"{turns.phase} on {turns.balancer}"),
            number(f"{turns.deviation:,.3f}".rstrip("0").rstrip("."), f"/distribution/turns/{place}/deviation"),
            number(f"{turns.allowed:,.0f}", f"/distribution/turns/{place}/allowed"),
            Cell("kept" if turns.kept else "NOT kept", tone="good" if turns.kept else "bad"),
        )
        for place, turns in enumerate(verdict.distribution.turns or ())
    ]
    note = "Round robin is deterministic: a difference beyond the requests in flight is an error of the balancer."
    return Table("Round robin against the exact expectation", ("round robin", "deviation", "allowed", ""), rows, note)


def shares_table(verdict: Verdict, shares: Iterable[Tree], colours: Tree) -> Table:
    """Return the table of shares. `shares` of series.json has the expected share of each backend."""
    expected = {one.phase: one.expected for one in shares}
    rows: list[Sequence[Cell]] = []
    for phase, found in verdict.distribution.by_phase.items():
        for what in ("backends", "balancers"):
            for name, one in below(found, what).items():
                at = f"/distribution/by_phase/{phase}/{what}/{pointed(name)}"
                share = expected.get(phase, {}).get(name) if what == "backends" else None
                rows.append(
                    (
                        Cell(phase),
                        Cell(name, colour=below(colours, what).get(name, "grey")),
                        number(f"{one.count:,}", f"{at}/count"),
                        number(f"{one.share:.2%}", f"{at}/share"),
                        number("" if share is None else f"{share:.2%}"),
                    )
                )
    note = "No response named a backend: these are HAProxy's counts, of the requests of all clients."
    return Table(
        "Responses by backend and balancer",
        ("phase", "name", "responses", "share", "expected"),
        rows,
        note if verdict.distribution.by_counters else "",
    )


def accounting_tables(verdict: Verdict) -> tuple[Table, Table]:
    """Return the tables of counts that differ, and of counts that are equal."""
    differ: list[Sequence[Cell]] = []
    equal: list[Sequence[Cell]] = []
    lines = verdict.accounting.lines if verdict.accounting else ()
    for place, line in enumerate(lines):
        at = f"/accounting/lines/{place}"
        why = [f"{count:,} {reason}" for reason, count in line.explained_by.items()]
        if line.unaccounted:
            why.append(f"{line.unaccounted:,} UNACCOUNTED")
        row = (
            Cell(line.name),
            Cell(" ".join(filter(None, (line.node, line.generation and f"({line.generation})")))),
            number(f"{line.client:,}", f"{at}/client"),
            number(f"{line.source:,}", f"{at}/source"),
            Cell(line.said_by),
            number(f"{line.difference:+,}" if line.difference else "0", f"{at}/difference"),
            Cell("; ".join(why) or "equal", tone="bad" if line.unaccounted else "" if line.difference else "good"),
        )
        (differ if line.difference or line.unaccounted else equal).append(row)
    columns = ("count of", "at", "client", "source", "name of the source", "difference", "explanation")
    return Table("Counts that differ", columns, differ), Table(f"Counts that are equal: {len(equal)}", columns, equal)


def generator_table(verdict: Verdict) -> Table:
    columns = (
        ("probes that were due", "scheduled", text.count),
        ("probes left out, because the prober was too late", "unsent", text.count),
        ("delay behind the schedule, median (ms)", "lag_p50_ms", _hundredths),
        ("delay behind the schedule, 99th percentile (ms)", "lag_p99_ms", _hundredths),
        ("processor time (% of a core)", "cpu_percent", _hundredths),
    )
    rows = [(Cell(title), figure(verdict.generator, "/generator", place, form)) for title, place, form in columns]
    return Table("The prober", ("", "figure"), rows if verdict.generator.scheduled is not None else ())


def kinds_table(changes: Changes) -> Table:
    """Return the table of the cost of a series of changes, by kind of connection."""
    columns: Sequence[Column] = (
        ("open at the changes", "exposed", text.count),
        ("lost", "lost", text.count),
        ("per 1,000", "lost_per_thousand", text.latency),
        ("changes with losses", "lossy", text.count),
        ("at most (95 %)", "lossy_high", text.upper_percent),
        ("closed gracefully", "closed_politely", text.count),
        ("reset", "reset", text.count),
        ("longest wait (ms)", "delay_longest_ms", text.count),
        ("between changes (ms)", "delay_between_high_ms", text.count),
    )
    records = [(Cell(kind.kind), place, kind) for place, kind in enumerate(changes.kinds)]
    return record_table("By kind of connection", "/changes/kinds", records, columns, "", ("lost",))


def losses_table(changes: Changes) -> Table:
    rows = [
        (
            Cell(loss.place),
            number("none" if loss.change is None else str(loss.change)),
            number("" if loss.after_change_ms is None else text.duration(loss.after_change_ms)),
            Cell(loss.error),
            Cell(loss.ended_by),
            number("" if loss.position is None else f"{loss.position:,}"),
            Cell(loss.worker or "unknown"),
        )
        for loss in changes.losses
    ]
    more = changes.lost + sum(kind.lost_elsewhere for kind in changes.kinds) - len(rows)
    columns = ("connection", "change", "after it", "error", "ended by", "last byte or message", "process")
    note = f"{more:,} more are in the logs of the held connections and of the load." if more > 0 else ""
    return Table("Losses" if more <= 0 else f"{len(rows)} of the losses: the first of each kind", columns, rows, note)


def dead_table(found: Sequence[DeadConnections]) -> Table:
    columns: Sequence[Column] = (
        ("open", "open", text.count),
        ("cut", "dead", text.count),
        ("noticed by FIN", "by_fin", text.count),
        ("by RST", "by_rst", text.count),
        ("by timeout", "by_timeout", text.count),
        ("never", "untold", text.count),
        ("median ms", "median_ms", text.count),
        ("longest ms", "longest_ms", text.count),
    )
    records = [(Cell(kind.kind), place, kind) for place, kind in enumerate(found)]
    return record_table("By kind of connection", "/dead_connections", records, columns)


def _hundredths(value: float) -> str:
    return f"{value:,.2f}"
