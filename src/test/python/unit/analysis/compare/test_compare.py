"""What a fault and its heal cost in two runs: by their bounds, by what theory leaves to chance, and by drills."""

import pytest

from support.compared_sides import population_of, side_of, verdict_of
from support.request_tables import run_data
from switchover.analysis.compare.bootstrap import ConfidenceInterval
from switchover.analysis.compare.compare import compare, compare_events
from switchover.analysis.compare.comparison import Difference, Figure, FigureUnit, Finding, Side, Value
from switchover.analysis.outage import Outage, OutageKind
from switchover.analysis.phases import Phase, PhaseName
from switchover.analysis.population import Counts
from switchover.analysis.verdict import Verdict
from switchover.model.interval import Span
from synthetic import SECOND, away, gap_of, pair_run, sample

Window = tuple[float | None, float | None] | None
SHORT, LONG = away(3_000_000, 100_000), away(4_000_000)
"""From 2,900 to 3,000 ms, and 4,000 ms."""
OVERLAPPING = "one event each: the bounds of both overlap"
NONE = Outage(OutageKind.NONE, unseen=Span(0, 40_000))
UNSEEN, UNPLACED = (
    "not measured, or not recovered, in one of them",
    "one event each: what chance can do is not known",
)


def events(*sides: Side) -> dict[str, Figure]:
    return {figure.name: figure for figure in compare_events(sides)}


def outage_of(*verdicts: Verdict) -> Figure:
    """Each a side."""
    return events(*map(side_of, verdicts))["outage"]


def by_chance(ms: str) -> str:
    return f"one event each: by theory chance lets two differ by up to {ms} ms"


@pytest.mark.parametrize(
    ("first", "other", "window", "finding", "value", "ends", "note"),
    [
        (SHORT, LONG, None, Finding.UNKNOWN, 1000, (1000, 1100), UNPLACED),
        (SHORT, LONG, (2609, None), Finding.UNKNOWN, 1000, (1000, 1100), UNPLACED),
        (SHORT, LONG, (2609, 3609), Finding.UNKNOWN, 1000, (1000, 1100), by_chance("1,000")),
        (SHORT, LONG, (2609, 3608), Finding.DIFFERS, 1000, (1000, 1100), "by more than theory leaves to chance"),
        (LONG, SHORT, (2609, 3609), Finding.UNKNOWN, -1000, (-1100, -1000), by_chance("1,000")),
        (LONG, SHORT, (2609, 3608), Finding.DIFFERS, -1000, (-1100, -1000), "by more than theory leaves to chance"),
        (SHORT, away(2_950_000, 100_000), None, Finding.UNKNOWN, -50, (-150, 50), OVERLAPPING),
        (SHORT, away(3_000_500), None, Finding.UNKNOWN, 0.5, (0.5, 100.5), UNPLACED),
        (NONE, NONE, None, Finding.UNKNOWN, 0, (-40, 40), OVERLAPPING),
        (SHORT, None, (2609, 3609), Finding.UNKNOWN, None, None, UNSEEN),
        (None, SHORT, (2609, 3609), Finding.UNKNOWN, None, None, UNSEEN),
        (SHORT, away(4_000_000, censored=True), (2609, 3609), Finding.UNKNOWN, None, None, UNSEEN),
    ],
)
def test_two_events_differ_by_more_than_their_bounds_and_what_theory_leaves_to_chance(
    first: Outage | None,
    other: Outage | None,
    window: Window,
    finding: Finding,
    value: float | None,
    ends: tuple[float, float] | None,
    note: str,
) -> None:
    figure = outage_of(verdict_of(first, window=window), verdict_of(other, window=window))
    interval = None if ends is None else ConfidenceInterval(*ends)
    assert figure.differences == (Difference(finding, value, interval, note),)


@pytest.mark.parametrize(
    ("windows", "note"),
    [
        (((0, 500), (0, 1000)), by_chance("1,000")),
        (((0, 1000), (500, 900)), by_chance("1,000")),
        (((0, 2000), None), UNPLACED),
        (((0, 2000), (None, 2000)), UNPLACED),
    ],
)
def test_chance_is_that_of_the_wider_window_and_unknown_where_one_has_none(
    windows: tuple[Window, Window], note: str
) -> None:
    figure = outage_of(*(verdict_of(o, window=w) for o, w in zip((SHORT, LONG), windows, strict=True)))
    assert figure.differences[0].note == note


def test_each_side_is_compared_with_the_first_and_what_theory_says_is_of_the_outage_alone() -> None:
    sides = [side_of(verdict_of(one, one, window=(0, 9000))) for one in (SHORT, LONG, SHORT)]
    found = events(*sides)
    assert found["outage"].values == (Value(3000, 2900, 3000), Value(4000, 4000, 4000), Value(3000, 2900, 3000))
    assert [one.value for one in found["outage"].differences] == [1000, 0]
    assert [one.note for one in found["failback"].differences] == [UNPLACED, OVERLAPPING]
    assert (found["failback"].unit, found["failback"].phase) == (FigureUnit.MILLISECONDS, "")


def test_no_outage_at_all_is_one_of_nothing_up_to_what_the_probes_could_see() -> None:
    assert outage_of(verdict_of(NONE), verdict_of(Outage(OutageKind.NONE))).values == (
        Value(0, 0, 40),
        Value(0, 0, 0),
    )


def test_of_drills_the_means_are_compared_and_those_that_did_not_recover_are_left_out() -> None:
    short = [verdict_of(SHORT, split_brain_ms=0.0) for _ in range(5)]
    long = [verdict_of(LONG, split_brain_ms=20.0) for _ in range(4)]
    whole = side_of(*long, verdict_of(LONG, split_brain_ms=20.0))
    again = away(9_000_000, later_gaps=(gap_of(20_000_000, 21_000_000, closed=False),))
    lame = side_of(*long, verdict_of(NONE), verdict_of(None), verdict_of(away(1, censored=True)), verdict_of(again))
    found = events(side_of(*short), whole, lame)
    assert found["outage"].values == (Value(3000, 2900, 3000), Value(4000, 4000, 4000), Value(3200, 3200, 3208))
    first, second = found["outage"].differences
    assert (first.finding, first.value, first.note) == (Finding.DIFFERS, 1000, "")
    assert (second.value, second.note) == (200, "without drills that did not recover")
    assert events(lame, whole)["outage"].differences[0].note == "without drills that did not recover"
    split = found["split brain"]
    assert (split.unit, split.phase, [one.value for one in split.values]) == (
        FigureUnit.MILLISECONDS,
        "",
        [0, 20, 20],
    )
    assert [one.value for one in split.differences] == [20, 20]


def test_a_figure_is_shown_that_two_sides_have_and_of_probes_and_load_apart() -> None:
    probes, samples = (
        population_of({PhaseName.BASELINE: Counts(total=100, failed=number, rate=5.0)}) for number in (4, 8)
    )
    asked = [sample(at, at + 300) for at in range(0, 9 * SECOND, 250_000)]
    data = run_data(pair_run(), asked, asked)
    phases = [Phase(PhaseName.BASELINE, 0, 8 * SECOND)]
    whole = verdict_of(SHORT, SHORT, split_brain_ms=0.0, probes=probes, samples=samples, phases=phases)
    other = verdict_of(LONG, probes=probes, samples=samples, phases=phases)
    figures = compare([side_of(whole, data=data), side_of(other, data=data)])
    assert [(one.name, one.values[0].value, one.differences[0].finding) for one in figures] == [
        ("outage", 3000, Finding.UNKNOWN),
        *(
            (f"{name}: {figure}", value, Finding.NONE)
            for name, failed in (("probes", 0.04), ("load", 0.08))
            for figure, value in (("failed", failed), ("late", 0), ("rate", 5), ("answered by web1", 1))
        ),
    ]
