"""Requests side by side: which figures, over seconds or drill by drill, and how far they may be off."""

from collections.abc import Sequence

import pytest

from support.compared_sides import population_of, side_of, verdict_of
from support.request_tables import run_data
from switchover.analysis.compare.bootstrap import ConfidenceInterval
from switchover.analysis.compare.comparison import Difference, Figure, FigureUnit, Finding, Side
from switchover.analysis.compare.requests import compare_requests
from switchover.analysis.latency import Latency, Percentiles
from switchover.analysis.phases import Phase, PhaseName
from switchover.analysis.population import Counts
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.sample_log import Sample
from synthetic import SECOND, pair_run, refused, sample

BASELINE, SWITCHOVER, ON_BACKUP = PhaseName.BASELINE, PhaseName.SWITCHOVER, PhaseName.ON_BACKUP
UNMEASURED = Difference(Finding.UNKNOWN, note="not measured in one of them")


def latency_of(send_ms: int, schedule_ms: int | None = None) -> Latency:
    send, schedule = (
        None if ms is None else Percentiles(ms * 1000, ms * 2000, ms * 3000, ms * 9000)
        for ms in (send_ms, schedule_ms)
    )
    assert send is not None
    return Latency(schedule, send)


def load_of(names: Sequence[str] = ("web1", "web2"), seconds: int = 10) -> list[Sample]:
    """In each second a request that fails, and one that each of these answers."""
    found = []
    for at in range(0, seconds * SECOND, SECOND):
        found.append(refused(at))
        found += [
            sample(at + place, at + place + 10_000, identity=Identity(name, "lb1", AnsweredBy.BACKEND))
            for place, name in enumerate(names, start=1)
        ]
    return [*found, sample(seconds * SECOND, seconds * SECOND + 1)]


def counts_of(failed: int, rate: float = 3.0, latency: Latency | None = None, total: int = 100) -> Counts:
    return Counts(total=total, failed=failed, late=failed // 2, rate=rate, latency=latency)


def side(
    *drills: Counts, phase: PhaseName = BASELINE, load: Sequence[Sample] | None = None, seconds: int = 10
) -> Side:
    """A load whose seconds are all alike, and what was counted of each drill."""
    phases = [Phase(SWITCHOVER, 0, 1), Phase(phase, 0, seconds * SECOND)]
    verdicts = [verdict_of(samples=population_of({phase: counts}), phases=phases) for counts in drills]
    return side_of(*verdicts, data=run_data(pair_run(), samples=load_of() if load is None else load))


def compared(*sides: Side) -> dict[str, Figure]:
    figures = list(compare_requests(sides, "load", "samples"))
    return {figure.name.removeprefix("load: "): figure for figure in figures}


def values(figure: Figure) -> list[float | None]:
    return [one.value for one in figure.values]


def test_a_steady_phase_is_compared_over_its_seconds_and_may_be_off_by_its_edges_and_cells() -> None:
    """Of 30 requests 2 may belong to another phase, and 2 in ten seconds; a latency is known to 1 %."""
    found = compared(
        side(counts_of(10, 3.0, latency_of(5, 10))), side(counts_of(40, 3.5, latency_of(5, 20)), load=load_of())
    )
    expected: dict[str, tuple[FigureUnit, list[float], float, Finding]] = {
        "failed": (FigureUnit.SHARE, [0.1, 0.4], 4 / 30, Finding.DIFFERS),
        "late": (FigureUnit.SHARE, [0.05, 0.2], 4 / 30, Finding.DIFFERS),
        "rate": (FigureUnit.PER_SECOND, [3.0, 3.5], 0.4, Finding.DIFFERS),
        "p50": (FigureUnit.MILLISECONDS, [10, 20], 0.3, Finding.DIFFERS),
        "p90": (FigureUnit.MILLISECONDS, [20, 40], 0.6, Finding.DIFFERS),
        "p99": (FigureUnit.MILLISECONDS, [30, 60], 0.9, Finding.DIFFERS),
        "answered by web1": (FigureUnit.SHARE, [0.5, 0.5], 4 / 30, Finding.NONE),
        "answered by web2": (FigureUnit.SHARE, [0.5, 0.5], 4 / 30, Finding.NONE),
    }
    assert list(found) == list(expected)
    for name, (unit, (first, second), off, finding) in expected.items():
        figure = found[name]
        assert (figure.name, figure.phase, figure.unit) == (f"load: {name}", BASELINE, unit)
        assert values(figure) == pytest.approx([first, second])
        (difference,) = figure.differences
        assert (difference.finding, difference.note) == (finding, "")
        assert difference.value == pytest.approx(second - first)
        assert isinstance(difference.interval, ConfidenceInterval)
        ends = difference.interval.low, difference.interval.high
        assert ends == pytest.approx((second - first - off, second - first + off))


def test_each_side_is_compared_with_the_first() -> None:
    found = compared(*(side(counts_of(failed)) for failed in (10, 20, 60)))["failed"]
    assert [one.value for one in found.differences] == pytest.approx([0.1, 0.5])
    assert [one.finding for one in found.differences] == [Finding.NONE, Finding.DIFFERS]


def test_the_seconds_of_each_figure_tell_what_chance_does_to_it() -> None:
    """Where failures come in every other second, their share and the rate are less sure, and nothing else is."""
    by_turns = [one for one in load_of() if one.success or one.start_us // SECOND % 2 == 0]
    steady, uneven = side(counts_of(10)), side(counts_of(10), load=by_turns)
    found = compared(steady, uneven)
    wide = {name: figure.differences[0].interval for name, figure in found.items()}
    assert wide["failed"] is not None and wide["failed"].high > 4 / 25 + 0.02
    assert wide["late"] is not None and wide["late"].high == pytest.approx(2 / 30 + 2 / 25)
    assert wide["rate"] is not None and wide["rate"].high > 0.4 + 0.1
    assert wide["answered by web1"] is not None
    assert wide["answered by web1"].high == pytest.approx(2 / 30 + 2 / 25)


def test_who_answers_is_less_sure_where_it_changes_from_second_to_second_and_unknown_where_it_drifts() -> None:
    def with_turns(seconds: int) -> Side:
        return side(
            counts_of(10),
            load=[
                one for one in load_of() if one.identity.backend != f"web{1 + one.start_us // SECOND // seconds % 2}"
            ],
        )

    steady = side(counts_of(10))
    turns = compared(steady, with_turns(1))["answered by web1"].differences[0]
    assert turns.interval is not None and turns.interval.high > 2 / 30 + 2 / 20 + 0.1
    drift = compared(steady, with_turns(5))["answered by web1"].differences[0]
    assert drift.note == "too few seconds that are independent"


@pytest.mark.parametrize("schedule_ms", [10, None])
def test_chance_is_that_of_the_latencies_that_are_compared(schedule_ms: int | None) -> None:
    """In every other second each answer was due a second earlier."""
    late = [
        one._replace(intended_us=one.start_us - SECOND * (one.start_us // SECOND % 2)) if one.success else one
        for one in load_of()
    ]
    counts = counts_of(10, latency=latency_of(10, schedule_ms))
    interval = compared(side(counts), side(counts, load=late))["p50"].differences[0].interval
    assert interval is not None
    assert interval.high > 900 if schedule_ms else interval.high == pytest.approx(0.2)


def test_the_rate_of_hours_may_be_off_by_two_requests_at_the_edges_of_each() -> None:
    load = [sample(at, at + 300) for at in range(0, 7201 * SECOND, 2 * SECOND)]
    found = compared(*[side(counts_of(10), load=load, seconds=7200) for _ in range(2)])["rate"].differences[0]
    assert found.interval is not None and found.interval.high == pytest.approx(4 / 7200)


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (side(counts_of(0, total=0)), UNMEASURED),
        (side(counts_of(10), phase=ON_BACKUP), UNMEASURED),
        (
            side(counts_of(20), load=load_of(seconds=7)),
            Difference(Finding.UNKNOWN, 0.1, note="too few seconds that are independent"),
        ),
    ],
)
def test_what_one_side_has_not_or_too_little_of_cannot_be_told(other: Side, expected: Difference) -> None:
    assert compared(side(counts_of(10)), other)["failed"].differences == (expected,)
    (reverse,) = compared(other, side(counts_of(10)))["failed"].differences
    assert (reverse.finding, reverse.note) == (expected.finding, expected.note)


def test_what_only_one_side_has_is_not_compared() -> None:
    assert not compared(side(counts_of(10)), side_of(verdict_of()))
    assert not list(compare_requests([side(counts_of(10))] * 2, "probes", "probes"))


def test_of_three_sides_two_that_have_it_are_compared() -> None:
    few = side(counts_of(20), load=load_of(seconds=7))
    assert compared(side(counts_of(10)), few, side(counts_of(40)))["failed"].differences[1].interval is not None
    found = compared(side(counts_of(10)), side_of(verdict_of()), side(counts_of(40)))["failed"]
    assert values(found) == [0.1, None, 0.4]
    assert found.differences[0] == UNMEASURED
    assert found.differences[1].finding is Finding.DIFFERS


def test_a_switchover_is_one_event_and_says_nothing_of_who_answers() -> None:
    found = compared(*(side(counts_of(failed), phase=SWITCHOVER) for failed in (10, 40)))
    assert list(found) == ["failed", "late", "rate", "p50", "p90", "p99"]
    assert (found["failed"].phase, found["failed"].unit) == (SWITCHOVER, FigureUnit.SHARE)
    assert found["failed"].differences[0].note == "one event each: compare folders of repeats"


def test_of_drills_each_is_one_value_in_a_steady_phase_too() -> None:
    first = side(*(counts_of(10) for _ in range(5)))
    other = side(*(counts_of(failed) for failed in (20, 30, 40, 50, 60)))
    found = compared(first, other)
    assert list(found) == ["failed", "late", "rate", "p50", "p90", "p99"]
    assert values(found["failed"]) == pytest.approx([0.1, 0.4])
    assert found["failed"].differences[0].finding is Finding.DIFFERS


@pytest.mark.parametrize(
    ("other", "expected"),
    [(latency_of(7, 20), [10, 20]), (latency_of(7), [5, 7]), (None, [10, None])],
)
def test_latencies_count_from_the_schedule_where_all_sides_have_one(
    other: Latency | None, expected: list[float | None]
) -> None:
    found = compared(side(counts_of(10, latency=latency_of(5, 10))), side(counts_of(10, latency=other)))
    assert values(found["p50"]) == expected


def test_the_backends_of_the_first_side_come_first_by_how_much_they_answered_and_at_most_eight() -> None:
    first = load_of(["web2", "web1", "web2"])
    other = load_of([f"new{number}" for number in range(9)] + ["web1"])
    found = compared(side(counts_of(10), load=first), side(counts_of(10), load=other))
    names = [name.removeprefix("answered by ") for name in found if name.startswith("answered")]
    assert names == ["web2", "web1", *(f"new{number}" for number in range(6))]
    assert values(found["answered by web2"]) == pytest.approx([2 / 3, 0])
    assert values(found["answered by new0"]) == pytest.approx([0, 0.1])
    assert found["answered by web2"].differences[0].finding is Finding.DIFFERS


def test_of_a_side_that_does_not_say_who_answered_nothing_is_said() -> None:
    silent = side(counts_of(10), load=load_of([""]))
    found = compared(side(counts_of(10)), silent, side(counts_of(10)))
    assert values(found["answered by web1"]) == [0.5, None, 0.5]
    assert found["answered by web1"].differences[0] == UNMEASURED
    assert "answered by web1" not in compared(side(counts_of(10)), silent)
