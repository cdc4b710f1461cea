"""The tables of a run, for the page and for `--details`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from switchover.report import figures_text as text
from switchover.report.documents import Judged
from switchover.verdict.record import Changes, PhaseName, Population, Row, Verdict

TEXT_LENGTH = 400
"""The maximum number of characters that are shown of a name, a label or an event."""
SOURCE_NEEDED = {
    "detection": "Keepalived's FIFO on the victim (vip_owner), or HAProxy's counters for a backend",
    "new master elected": "a vip_owner on each balancer",
    "first bad probe": "the prober",
    "recovery": "the prober",
}
"""For each step of the timeline, the setting of the target file that provides a source for the step's time."""


class Cell(NamedTuple):
    text: str
    number: bool = False
    tone: str = ""
    """The style of the cell: `good`, `bad`, `differs` or empty."""

    @property
    def shown(self) -> str:
        return text.shortened(self.text, TEXT_LENGTH)


class Table(NamedTuple):
    """A table. The first cell of each row is the heading of the row."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]] = ()
    note: str = ""

    @property
    def numbers(self) -> set[int]:
        """The columns that contain numbers. The head of such a column is aligned like the numbers."""
        return {place for row in self.rows for place, cell in enumerate(row) if cell.number}


TableRow = Sequence[Cell | str]
Column = tuple[str, str, Callable[[Any], str]]
"""A column of figures: its title, the place of the figure in a record, and the function that formats the figure."""


def number(shown: str, tone: str = "") -> Cell:
    return Cell(shown, number=True, tone=tone)


def make_table(caption: str, columns: Sequence[str], rows: Iterable[TableRow], note: str = "") -> Table:
    """Make a table. Each text in a row becomes a cell."""
    cells = [[Cell(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    return Table(caption, columns, cells, note)


def value_at(record: Any, place: str) -> Any:
    """Return the value at a place such as `latency_ms/from_send/p99`; None: a part is unknown."""
    for part in place.split("/"):
        if record is None:
            return None
        record = record.get(part) if isinstance(record, Mapping) else getattr(record, part)
    return record


def figure(record: Any, place: str, form: Callable[[Any], str], *, is_bad: bool = False) -> Cell:
    """Return the cell of one figure of a record. `is_bad`: mark the figure as bad unless the figure is 0."""
    value = value_at(record, place)
    if value is None:
        return number("0" if place.startswith("by_kind/") else text.NOTHING)
    return number(form(value), "bad" if is_bad and value else "")


def record_table(
    caption: str,
    records: Iterable[tuple[str, Any]],
    columns: Sequence[Column],
    note: str = "",
    bad: Iterable[str] = (),
) -> Table:
    """Return a table with a row for each heading and record. `bad`: places of figures that must be 0."""
    rows: list[TableRow] = [
        (head, *(figure(record, place, form, is_bad=place in bad) for _, place, form in columns))
        for head, record in records
    ]
    return make_table(caption, ("", *(title for title, _, _ in columns)), rows, note)


def detail_tables(judged: Judged) -> Iterator[Table]:
    verdict = judged.verdict
    listed = [
        outage_table(judged),
        timeline_table(verdict),
        *checks_tables(verdict),
        *phases_tables(verdict),
        *failures_tables(verdict),
        turns_table(verdict),
        accounting_tables(verdict)[0],
        generator_table(verdict),
    ]
    return (table for table in listed if table.rows)


def populations_of(verdict: Verdict) -> list[tuple[str, Population]]:
    populations = (("load", verdict.samples), ("probes", verdict.probes))
    return [(name, population) for name, population in populations if population is not None]


def outage_table(judged: Judged) -> Table:
    verdict, run = judged
    rows: list[TableRow] = []

    def add(name: str, shown: str, meaning: str) -> None:
        rows.append((name, number(shown), meaning))

    for name, outage in (("outage", verdict.outage), ("failback", verdict.failback)):
        if outage is None:
            continue
        bounds, limit = text.length_bounds(outage), text.at_most(outage.detection_limit_ms).removeprefix("≤ ")
        notes = [*([f"interval {bounds}"] if bounds else []), *text.outage_notes(outage), f"detection limit {limit}"]
        add(name, text.length(outage), "; ".join(notes))
        if outage.gap_count and outage.loss_derived_ms is not None:
            timeout = f"; timeout of the client {run.timeout_read_ms / 1000:g} s" if run.timeout_read_ms else ""
            meaning = f"{outage.impaired:,} bad probes divided by their rate{timeout}"
            add(f"loss-derived {name}", text.duration(outage.loss_derived_ms), meaning)
        if outage.gap_count:
            total, envelope = text.duration(outage.sum_of_gaps_ms), text.duration(outage.envelope_ms)
            meaning = f"{total} in total; {envelope} from the first to the last"
            add(f"gaps of the {name}", f"{outage.gap_count:,}", meaning)
    fit, fault = verdict.prediction, run.fault
    if fit is not None and fault is not None:
        window = text.window(fit.low_ms, fit.high_ms)
        add("predicted outage", f"{window} {text.tolerance(fit.tolerance_ms)}".rstrip(), fault.predict_reason)
        if fault.failback_low_ms is not None:
            add("predicted failback", text.window(fault.failback_low_ms, fault.failback_high_ms), "")
    gap = verdict.load and verdict.load.longest_gap
    if gap:
        add("load without a good response", text.duration(gap.duration_ms), "longest time without a good response")
    return make_table("Outage and failback", ("", "figure", "meaning"), rows)


def timeline_table(verdict: Verdict) -> Table:
    rows = [
        (row.step, number(text.signed(row.after_kill_ms)), number(text.tolerance(row.bound_ms)), source_of(row))
        for row in verdict.timeline or ()
    ]
    return make_table("Timeline", ("step", "after the fault", "±", "source"), rows)


def source_of(row: Row) -> str:
    """Return the source of a step's time. If there is none, name the setting of the target file that provides a
    source."""
    if row.at_us is None and row.source == "unknown":
        needed = SOURCE_NEEDED.get(row.step)
        return f"unknown: this step needs {needed}" if needed else "unknown"
    return f"{row.source}; order unknown" if row.order_unknown else row.source


def checks_tables(verdict: Verdict) -> Iterator[Table]:
    statuses = {True: Cell("yes", tone="good"), False: Cell("NO", tone="bad"), None: Cell("unknown")}
    for caption, checked in (
        ("Confirmation of the fault", verdict.confirmation),
        ("The pair after the heal", verdict.restoration),
    ):
        checks = checked.checks if checked else ()
        rows = [(check.name.replace("_", " "), statuses[check.holds], check.text) for check in checks]
        yield make_table(caption, ("source", "", "observation"), rows)


def phases_tables(verdict: Verdict) -> Iterator[Table]:
    for name, population in populations_of(verdict):
        users = any(counts.users is not None for counts in population.by_phase.values())
        columns: list[Column] = [
            ("per second", "rate", text.count),
            *([("users", "users", text.count)] if users else []),
            ("sent", "total", text.count),
            ("failed", "failed", text.count),
            ("late", "late", text.count),
            *((f"{rank} ms", f"latency_ms/from_send/{rank}", text.latency) for rank in ("p50", "p90", "p99", "max")),
        ]
        records = [(phase, population.by_phase[phase]) for phase in PhaseName if phase in population.by_phase]
        note = "Latency of good and late responses, from the actual send."
        yield record_table(f"{name}, by phase", records, columns, note, ("failed", "late"))


def schedule_tables(verdict: Verdict) -> Iterator[Table]:
    ranks = ("p50", "p90", "p99", "max")
    columns = [(f"{rank} ms", f"latency_ms/from_schedule/{rank}", text.latency) for rank in ranks]
    for name, population in populations_of(verdict):
        records = [
            (phase, counts)
            for phase, counts in population.by_phase.items()
            if value_at(counts, "latency_ms/from_schedule") is not None
        ]
        yield record_table(f"{name}, latency from the scheduled send", records, columns)


def failures_tables(verdict: Verdict) -> Iterator[Table]:
    for name, population in populations_of(verdict):
        counted = [population, *population.by_phase.values()]
        places = [*((kind, f"by_kind/{kind}") for kind in population.by_kind), ("all", "failed"), ("sent", "total")]
        if population.unsent:
            places.append(("not sent by the client", "unsent"))
        rows: list[TableRow] = [
            (title, *(figure(counts, place, text.count) for counts in counted)) for title, place in places
        ]
        yield make_table(f"{name}, failed", ("kind", "all", *population.by_phase), rows)


def labels_table(verdict: Verdict) -> Table:
    load = verdict.load
    columns = [
        ("requests", "total", text.count),
        ("failed", "failed", text.count),
        *((f"{rank} ms", f"{rank}_ms", text.latency) for rank in ("p50", "p95", "p99")),
    ]
    more = f" {load.more_labels:,} more labels are not in the table." if load and load.more_labels else ""
    note = f"Latency of good and late responses, from the actual send.{more}"
    records = [(label.label, label) for label in (load and load.labels) or ()]
    return record_table("load, by label", records, columns, note, ("failed",))


def silences_table(verdict: Verdict) -> Table:
    rows: list[TableRow] = []
    for silences in (verdict.load and verdict.load.silences) or ():
        for name, silence in (("outage", silences.outage), ("longest", silences.longest)):
            outage = silences.outage
            if silence is None or (name == "longest" and outage and silence.from_us == outage.from_us):
                continue
            high = "to the end of the log" if silence.high_ms is None else text.at_most(silence.high_ms)
            rows.append(
                (
                    " of ".join(filter(None, (silences.label, silences.file))) or "all requests",
                    name,
                    f"{text.utc(silence.from_us)} UTC",
                    number(text.at_least(silence.low_ms)),
                    number(high),
                    number(f"{silence.failed:,}"),
                    text.kinds(silence.by_kind, 9),
                    number(f"{silence.in_progress:,}"),
                )
            )
    columns = ("requests", "silence", "last good response", "at least", "at most", "failed", "kinds", "in progress")
    return make_table("Time without a good response", columns, rows)


def turns_table(verdict: Verdict) -> Table:
    rows = [
        (
            f"{turns.phase} on {turns.balancer}",
            number(f"{turns.deviation:,.3f}".rstrip("0").rstrip(".")),
            number(f"{turns.allowed:,.0f}"),
            Cell("kept" if turns.kept else "NOT kept", tone="good" if turns.kept else "bad"),
        )
        for turns in verdict.distribution.turns or ()
    ]
    note = "Round robin is deterministic: a difference beyond the requests in flight is an error of the balancer."
    return make_table(
        "Round robin against the exact expectation", ("round robin", "deviation", "allowed", ""), rows, note
    )


def shares_table(verdict: Verdict) -> Table:
    rows = [
        (phase, name, number(f"{share.count:,}"), number(f"{share.share:.2%}"))
        for phase, answers in verdict.distribution.by_phase.items()
        for name, share in (*answers.backends.items(), *answers.balancers.items())
    ]
    return make_table("Responses by backend and balancer", ("phase", "name", "responses", "share"), rows)


def accounting_tables(verdict: Verdict) -> tuple[Table, Table]:
    differ: list[TableRow] = []
    equal: list[TableRow] = []
    for line in verdict.accounting.lines if verdict.accounting else ():
        why = [f"{count:,} {reason}" for reason, count in line.explained_by.items()]
        if line.unaccounted:
            why.append(f"{line.unaccounted:,} UNACCOUNTED")
        row = (
            line.name,
            " ".join(filter(None, (line.node, line.generation and f"({line.generation})"))),
            number(f"{line.client:,}"),
            number(f"{line.source:,}"),
            line.said_by,
            number(f"{line.difference:+,}" if line.difference else "0"),
            Cell("; ".join(why) or "equal", tone="bad" if line.unaccounted else "" if line.difference else "good"),
        )
        (differ if line.difference or line.unaccounted else equal).append(row)
    columns = ("count of", "at", "client", "source", "name of the source", "difference", "explanation")
    return make_table("Counts that differ", columns, differ), make_table(
        f"Counts that are equal: {len(equal)}", columns, equal
    )


def generator_table(verdict: Verdict) -> Table:
    columns = (
        ("probes that were due", "scheduled", text.count),
        ("due probes that were not sent, because the prober was too late", "unsent", text.count),
        ("send delay, median (ms)", "lag_p50_ms", _hundredths),
        ("send delay, 99th percentile (ms)", "lag_p99_ms", _hundredths),
        ("processor time (% of a core)", "cpu_percent", _hundredths),
    )
    rows = [(title, figure(verdict.generator, place, form)) for title, place, form in columns]
    return make_table("The prober", ("", "figure"), rows if verdict.generator.scheduled is not None else ())


def kinds_table(changes: Changes) -> Table:
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
    records = [(kind.kind, kind) for kind in changes.kinds]
    return record_table("By kind of connection", records, columns, "", ("lost",))


def losses_table(changes: Changes) -> Table:
    rows = [
        (
            loss.place,
            number("none" if loss.change is None else str(loss.change)),
            number("" if loss.after_change_ms is None else text.duration(loss.after_change_ms)),
            loss.error,
            loss.ended_by,
            number("" if loss.position is None else f"{loss.position:,}"),
            loss.worker or "unknown",
        )
        for loss in changes.losses
    ]
    more = changes.lost + sum(kind.lost_elsewhere for kind in changes.kinds) - len(rows)
    columns = ("connection", "change", "after it", "error", "ended by", "last byte or message", "process")
    note = f"{more:,} more losses are in the logs of the held connections and of the load." if more > 0 else ""
    return make_table(
        "Losses" if more <= 0 else f"{len(rows)} of the losses: the first of each kind", columns, rows, note
    )


def _hundredths(value: float) -> str:
    return f"{value:,.2f}"
