"""The page of a run that was fetched from a database: what its points draw, and its verdict as it was given."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from switchover.analysis.word import Word
from switchover.model.failure_kind import FailureKind
from switchover.model.outcome import Outcome, read_outcome
from switchover.report.page.charts import TimeAxis, band_of, charts_over_time, owners_drawn
from switchover.report.page.colours import colours_of
from switchover.report.page.document import REPORT, document
from switchover.report.page.run_tables import utc
from switchover.report.page.sections import Chart, Section, journal_table
from switchover.report.page.series import NAME_LENGTH, NAMES, OTHER, Latencies, RequestSeries
from switchover.report.page.table import Cell, Table
from switchover.report.page.telemetry import Held, held
from switchover.report.page.time_grid import COARSE, WIDTHS_US, Grid, Segment
from switchover.report.text import milliseconds
from switchover.rundir.histogram import decode, percentiles_us
from switchover.rundir.measurements import PROBES, REQUESTS
from switchover.rundir.points import Point
from switchover.rundir.run_directory import Run

SECOND_US = 1_000_000
"""Points of traffic say no more of when their requests ended."""
POPULATIONS = (("load", REQUESTS), ("probes", PROBES))


def fetched_page(
    run: Run,
    verdict: Mapping[str, Any],
    points: Sequence[Point],
    figures: Sequence[tuple[str, str]],
    notes: Sequence[str],
) -> bytes:
    """`figures`: as the console has them."""
    clock = _clock(run, points)
    grid = _grid(clock)
    series = {name: _series(points, measurement, grid) for name, measurement in POPULATIONS}
    owners = held(points, clock.to_us)
    answered = [pair for one in series.values() for pair in one.answered]
    colours = colours_of(
        [backend for backend, _ in answered], [*(balancer for _, balancer in answered), *(one.node for one in owners)]
    )
    charts = {
        **charts_over_time(run, clock, grid, series, points, colours),
        "phases": [],
        "anatomy": _anatomy(run, verdict, owners, clock),
        "shares": [],
        "changes": None,
    }
    word = Word(verdict["word"])
    return document(
        "report.html.j2",
        REPORT,
        charts,
        title=f"{word.lower()}: {run.id}",
        run=run,
        when=utc(run.plan.start_us) if run.plan.start_us is not None else "",
        word=word.lower(),
        done="",
        sentence=run.id,
        doubted=False,
        well=word.exit_code == 0,
        reasons=[],
        advice="",
        warnings=notes,
        headlines=[(name, text) for name, text in figures if name != "budget"],
        figures=[],
        budgets=Table("Budgets", ("budget",), [(Cell(text),) for name, text in figures if name == "budget"]),
        sections=_sections(run, points, clock, charts),
        populations=[population["name"] for population in charts["populations"]],
        stops=[],
    )


def _clock(run: Run, points: Sequence[Point]) -> TimeAxis:
    """Whole seconds, from the first to the last moment that the plan or the traffic tells of."""
    traffic = [point.time_ns // 1000 for point in points if point.measurement in (PROBES, REQUESTS)]
    known = [at_us for at_us in (run.plan.start_us, run.plan.end_us, *traffic) if at_us is not None] or [0]
    from_us = min(known) // SECOND_US * SECOND_US
    zero_us = run.plan.fired_from_us if run.plan.fired_from_us is not None else from_us
    return TimeAxis(zero_us, from_us, max(known) // SECOND_US * SECOND_US + SECOND_US)


def _grid(clock: TimeAxis) -> Grid:
    length_us = clock.to_us - clock.from_us
    whole = [width_us for width_us in WIDTHS_US if width_us % SECOND_US == 0]
    width_us = next((one for one in whole if length_us <= one * COARSE), -(-length_us // COARSE))
    return Grid((Segment(clock.from_us, width_us, max(1, -(-length_us // width_us))),))


def _series(points: Sequence[Point], measurement: str, grid: Grid) -> RequestSeries:
    (segment,) = grid.segments
    kept = [point for point in points if point.measurement == measurement and _is_sent(point)]
    backends, balancers = (_most_common(kept, tag) for tag in ("backend", "balancer"))
    answered: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0] * grid.size)
    failed: defaultdict[str, list[int]] = defaultdict(lambda: [0] * grid.size)
    late = [0] * grid.size
    histograms: defaultdict[int, Counter[int]] = defaultdict(Counter)
    longest_ms: defaultdict[int, float] = defaultdict(float)
    for point in kept:
        tags, outcome = point.tags, read_outcome(point.tags["outcome"])
        stretch = min(max((point.time_ns // 1000 - segment.from_us) // segment.width_us, 0), grid.size - 1)
        count = int(point.fields["count"])
        if outcome is Outcome.FAILED:
            failed[tags.get("error", "unknown")[:NAME_LENGTH]][stretch] += count
            continue
        if outcome is Outcome.LATE:
            late[stretch] += count
        else:
            answered[backends(tags), balancers(tags)][stretch] += count
        histograms[stretch].update(_latencies(point))
        highest = point.fields.get("rt_max")
        longest_ms[stretch] = max(longest_ms[stretch], highest if isinstance(highest, float) else 0.0)
    latencies = _percentiles(histograms, longest_ms, grid)
    return RequestSeries(
        total=sum(int(point.fields["count"]) for point in kept),
        answered=dict(sorted(answered.items())),
        late=late,
        failed=dict(sorted(failed.items())),
        from_send=None if measurement == PROBES else latencies,
        from_schedule=latencies if measurement == PROBES else None,
    )


def _is_sent(point: Point) -> bool:
    """It counts requests that were sent. Earlier versions wrote unsent probes as failed."""
    outcome = read_outcome(point.tags.get("outcome", ""))
    is_unsent = outcome in (None, Outcome.UNSENT) or point.tags.get("error") == FailureKind.GENERATOR
    return not is_unsent and isinstance(point.fields.get("count"), int)


def _most_common(points: Sequence[Point], tag: str) -> Callable[[Mapping[str, str]], str]:
    """Names a point's tag, if it is one of those that are shown."""
    counts = Counter[str]()
    for point in points:
        counts[point.tags.get(tag, "")] += int(point.fields["count"])
    shown = {name for name, _ in counts.most_common(NAMES)} | {""}

    def name_of(tags: Mapping[str, str]) -> str:
        name = tags.get(tag, "")
        return name[:NAME_LENGTH] if name in shown else OTHER

    return name_of


def _latencies(point: Point) -> Mapping[int, int]:
    """Percentiles of several points cannot be averaged; their histograms can be added."""
    histogram = point.fields.get("hdr")
    try:
        return decode(histogram) if isinstance(histogram, str) else {}
    except ValueError:
        return {}


def _percentiles(
    histograms: Mapping[int, Counter[int]], longest_ms: Mapping[int, float], grid: Grid
) -> Latencies | None:
    if not any(histograms.values()):
        return None
    found = Latencies([None] * grid.size, [None] * grid.size, [None] * grid.size)
    for stretch, counts in histograms.items():
        if counts:
            highest_us = round(longest_ms[stretch] * 1000)
            found.p50_us[stretch], found.p99_us[stretch] = (
                min(value, highest_us) for value in percentiles_us(counts, (50, 99))
            )
            found.max_us[stretch] = highest_us
    return found


def _anatomy(run: Run, verdict: Mapping[str, Any], owners: Sequence[Held], clock: TimeAxis) -> dict[str, Any] | None:
    kill_us = run.plan.fired_from_us
    if kill_us is None:
        return None
    away = [(name, verdict.get(name) or {}) for name in ("outage", "failback")]
    prediction = verdict.get("prediction") or {}
    return {
        "steps": [],
        "predicted": band_of(prediction.get("low_ms"), prediction.get("high_ms"), kill_us, clock),
        "away": [
            {
                "name": name,
                "from": clock.at(one["from_us"]),
                "to": clock.at(one["to_us"]),
                "text": milliseconds(one["to_us"] - one["from_us"]),
            }
            for name, one in away
            if "to_us" in one
        ],
        "heal": None if run.plan.heal_from_us is None else clock.at(run.plan.heal_from_us),
        "owners": owners_drawn(owners, clock),
        "overlaps": [],
    }


def _sections(run: Run, points: Sequence[Point], clock: TimeAxis, charts: Mapping[str, Any]) -> list[Section]:
    journal = journal_table(points, clock)
    found = [
        Section(
            "anatomy",
            "When it was away",
            "The band is the window in which, by theory, the service was to be back. Below: who held the virtual "
            "address.",
            charts=[Chart("anatomy", "Outage and address", "The table after this chart has every event.")],
            folded=[journal] if journal.rows else [],
        ),
        Section(
            "traffic",
            "Requests per second",
            "Counted when they ended, to the second. Good answers stand on the axis, by the backend that gave them "
            "and by the balancer that passed them on; what failed or came late hangs below it.",
            charts=[Chart("traffic", "By backend and by balancer", "The figures above have the counts.")],
        ),
        Section(
            "latency",
            "Latency",
            "Of good and late answers, by the histograms of each second: those of probes from the schedule, those of "
            "a load from the send.",
            charts=[Chart("latency", "Median, 99th percentile and maximum", "Its data are below the chart.")],
        ),
        Section(
            "failures",
            "Failures by kind",
            "Why probes failed, as the client saw it. Points of a load do not say it.",
            charts=[Chart("failures", "Failures per second", "Its data are below the chart.")],
        ),
    ]
    if charts["counters"]:
        found.append(
            Section(
                "counters",
                "What the balancers counted",
                "The balancers' own counters, of all traffic. A line ends where its process did.",
                charts=[Chart("counters", "Requests, sessions, queue and errors", "Its data are below the chart.")],
            )
        )
    return found if run.plan.fired_from_us is not None else found[1:]
