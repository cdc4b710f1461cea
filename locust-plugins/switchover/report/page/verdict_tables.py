"""The verdict's own figures as tables: limits, steps, phases, latencies, failures."""

from collections.abc import Iterator, Sequence

from switchover.analysis.labels import Labels
from switchover.analysis.latency import Percentiles
from switchover.analysis.limit_result import LimitResult, State
from switchover.analysis.logs.dates import utc
from switchover.analysis.outage import Outage
from switchover.analysis.phases import PhaseName
from switchover.analysis.population import Population
from switchover.analysis.silences import Silence
from switchover.analysis.verdict import Verdict
from switchover.report.load_and_probes import NOTHING, Beside, beside
from switchover.report.page.table import Cell, Table, number
from switchover.report.text import (
    after_kill,
    detection_limit_text,
    give_or_take,
    in_ms,
    limit_status,
    limit_value,
    milliseconds,
    no_less_than,
    no_more_than,
    observed,
    outage_text,
    window,
)

Populations = Sequence[tuple[str, str, Population]]


def populations_of(verdict: Verdict) -> Populations:
    """What people call it, its key in verdict.json, and itself."""
    found = (("load", "samples", verdict.figures.samples), ("probes", "probes", verdict.figures.probes))
    return [(name, key, population) for name, key, population in found if population is not None]


def limits_table(verdict: Verdict) -> Table:
    rows = []
    for place, result in enumerate(verdict.limits):
        tone = "good" if result.state is State.KEPT else "bad"
        at = f"/limits/{place}"
        asked = "by default" if result.limit.default else ""
        rows.append(
            (
                Cell(str(result.limit)),
                number(limit_value(result) or "unknown", _limit_place(result, at)),
                Cell(limit_status(result), tone=tone),
                Cell("; ".join(filter(None, (result.note, asked)))),
            )
        )
    return Table("Limits", ("limit", "measured", "", "note"), rows)


def _limit_place(result: LimitResult, at: str) -> str:
    """Where verdict.json has what is printed, if that is one number."""
    figure = result.figure
    return f"{at}/high" if figure is not None and figure.low == figure.high else ""


def timeline_table(verdict: Verdict) -> Table:
    rows = []
    for place, row in enumerate(verdict.events.timeline):
        at = f"/timeline/{place}"
        known = row.after_kill_us is not None
        rows.append(
            (
                Cell(row.step.value),
                number(after_kill(row), f"{at}/after_kill_ms" if known else ""),
                number(give_or_take(row), f"{at}/bound_ms" if row.bound_us is not None else ""),
                Cell(observed(row)),
            )
        )
    note = "In milliseconds after the command that fired the fault was started. Each step has the bound within which "
    note += "its source saw it; where two bounds touch, it is not known which came first."
    return Table("Step by step", ("step", "after the kill", "± ms", "seen by"), rows, note)


def silences_table(verdict: Verdict) -> Table:
    """The outage and the longest silence of each file, and of the labels that were asked for."""
    rows: list[Sequence[Cell]] = []
    for place, found in enumerate(verdict.figures.silences):
        for name in ("outage", "longest"):
            one: Silence | None = getattr(found, name)
            if one is None:
                continue
            at, high_us = f"/load/silences/{place}/{name}", one.length.high
            rows.append(
                (
                    Cell(" of ".join(filter(None, (found.label, found.file))) or "all requests"),
                    Cell(name),
                    Cell(f"{utc(one.span.from_us)} UTC"),
                    number(no_less_than(one.length.low), f"{at}/low_ms"),
                    number("to the end of the log" if high_us is None else no_more_than(high_us)),
                    number(f"{one.failed:,}", f"{at}/failed"),
                    Cell(", ".join(f"{kind} {count:,}" for kind, count in one.by_kind.items())),
                    number(f"{one.in_progress:,}", f"{at}/in_progress"),
                )
            )
    columns = ("requests", "silence", "last good response", "at least", "at most", "failed", "kinds", "in progress")
    return Table("Time without a good response", columns, rows)


def labels_table(verdict: Verdict) -> Table:
    """What each label was asked for, the most common first."""
    labels = verdict.figures.labels or Labels()
    rows: list[Sequence[Cell]] = []
    for place, one in enumerate(labels.found):
        at = f"/load/labels/{place}"
        took = ((one.p50_us, "p50_ms"), (one.p95_us, "p95_ms"), (one.p99_us, "p99_ms"))
        rows.append(
            (
                Cell(one.name),
                number(f"{one.total:,}", f"{at}/total"),
                number(f"{one.failed:,}", f"{at}/failed", "bad" if one.failed else ""),
                *(
                    number(NOTHING if us is None else in_ms(us), "" if us is None else f"{at}/{key}")
                    for us, key in took
                ),
            )
        )
    note = "Percentiles are those of good and late answers, from the actual send."
    note += f" {labels.more:,} more labels are not told one by one." if labels.more else ""
    columns = ("label", "requests", "failed", "p50 ms", "p95 ms", "p99 ms")
    return Table("load, label by label", columns, rows, note)


def outage_table(verdict: Verdict) -> Table:
    """All that is known of the outage and the failback."""
    rows: list[Sequence[Cell]] = []
    for name, outage in (("outage", verdict.events.outage), ("failback", verdict.events.failback)):
        if outage is not None:
            rows += _outage_rows(name, outage)
    fit = verdict.figures.prediction
    if fit is not None and verdict.run.fault is not None:
        inside = {True: "inside", False: "OUTSIDE", None: "cannot be compared"}[fit.inside]
        why = verdict.run.fault.predict_reason
        rows.append(
            (Cell("outage, by theory"), number(window(fit.low_ms, fit.high_ms), "/prediction/low_ms"), Cell(why))
        )
        within = "" if fit.tolerance_ms is None else f", give or take {fit.tolerance_ms:,.1f} ms"
        rows.append(
            (Cell("measured outage and theory"), number(inside), Cell(f"the window counts from the kill{within}"))
        )
        if verdict.run.fault.failback_low_ms is not None:
            low, high = verdict.run.fault.failback_low_ms, verdict.run.fault.failback_high_ms
            rows.append((Cell("failback, by theory"), number(window(low, high)), Cell("")))
    return Table("Outage and failback", ("", "figure", "what it says"), rows)


def _outage_rows(name: str, outage: Outage) -> Iterator[Sequence[Cell]]:
    yield (
        Cell(name),
        number(outage_text(outage), f"/{name}/high_ms" if outage.gaps and not outage.censored else ""),
        Cell(
            "from the last good answer before to the first lasting one after, and how much shorter it may have been; "
            f"{detection_limit_text(outage)}"
        ),
    )
    if not outage.gaps:
        return
    if outage.loss_derived_ms is not None:
        yield (
            Cell(f"{name}, by losses"),
            number(f"{outage.loss_derived_ms:,.0f} ms", f"/{name}/loss_derived_ms"),
            Cell(f"{outage.impaired:,} impaired probes divided by their rate"),
        )
    yield (
        Cell(f"{name}, gaps"),
        number(f"{len(outage.gaps):,}", f"/{name}/gap_count"),
        Cell(
            f"{milliseconds(outage.sum_of_gaps_us)} together; {len(outage.later_gaps):,} more after a "
            f"stability window; "
            f"{milliseconds(outage.envelope_us)} from the first to the last"
        ),
    )


def phases_tables(verdict: Verdict) -> list[Table]:
    """One for the load and one for the probes; users are those of a load."""
    tables = []
    for name, key, population in populations_of(verdict):
        users = any(counts.users is not None for counts in population.by_phase.values())
        rows = []
        for phase in PhaseName:
            found = beside(population, phase)
            if found is not None:
                cells = list(_beside_cells(found, f"/{key}/by_phase/{phase.value}"))
                rows.append((Cell(phase.value), *(cells if users else [cells[0], *cells[2:]])))
        columns = ("phase", "per second", *(["users"] if users else []), "failed", "late", "p99 ms")
        tables.append(Table(f"{name}, phase by phase", columns, rows))
    return tables


def _beside_cells(found: Beside, at: str) -> Iterator[Cell]:
    places = ("rate", "users", "failed", "late", "latency_ms/from_send/p99")
    for text, place in zip(found, places, strict=True):
        tone = "bad" if place in ("failed", "late") and text not in ("0", NOTHING) else ""
        yield number(text, f"{at}/{place}" if text != NOTHING else "", tone)


def latency_tables(verdict: Verdict) -> list[Table]:
    """From the schedule only where something was scheduled."""
    tables = []
    for name, key, population in populations_of(verdict):
        for view, place in (("from the actual send", "from_send"), ("from the schedule", "from_schedule")):
            rows = []
            for phase, counts in population.by_phase.items():
                found: Percentiles | None = getattr(counts.latency, place, None)
                if found is not None:
                    at = f"/{key}/by_phase/{phase.value}/latency_ms/{place}"
                    rows.append((Cell(phase.value), *_percentile_cells(found, at)))
            if rows:
                columns = ("phase", "p50 ms", "p90 ms", "p99 ms", "max ms")
                tables.append(Table(f"{name}, {view}", columns, rows))
    return tables


def _percentile_cells(found: Percentiles, at: str) -> Iterator[Cell]:
    for name in ("p50", "p90", "p99", "max"):
        yield number(in_ms(getattr(found, f"{name}_us")), f"{at}/{name}")


def failures_tables(verdict: Verdict) -> list[Table]:
    """Kinds of failure by phase, of each population that sent anything."""
    tables = []
    for name, key, population in populations_of(verdict):
        whole, phases = population.whole, list(population.by_phase.items())
        rows: list[Sequence[Cell]] = []
        for kind, count in whole.by_kind.items():
            cells = [number(f"{count:,}", f"/{key}/by_kind/{kind}")]
            for phase, counts in phases:
                known = kind in counts.by_kind
                at = f"/{key}/by_phase/{phase.value}/by_kind/{kind}" if known else ""
                cells.append(number(f"{counts.by_kind.get(kind, 0):,}", at))
            rows.append((Cell(kind), *cells))
        failed = [number(f"{c.failed:,}", f"/{key}/by_phase/{phase.value}/failed") for phase, c in phases]
        rows.append((Cell("all"), number(f"{whole.failed:,}", f"/{key}/failed"), *failed))
        sent = [number(f"{c.total:,}", f"/{key}/by_phase/{phase.value}/total") for phase, c in phases]
        rows.append((Cell("sent"), number(f"{whole.total:,}", f"/{key}/total"), *sent))
        if whole.unsent:
            unsent = [number(f"{c.unsent:,}", f"/{key}/by_phase/{phase.value}/unsent") for phase, c in phases]
            rows.append((Cell("not sent by the client"), number(f"{whole.unsent:,}", f"/{key}/unsent"), *unsent))
        columns = ("kind", "all", *(phase.value for phase, _ in phases))
        tables.append(Table(f"{name}, failed", columns, rows))
    return tables
