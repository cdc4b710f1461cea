"""The word of several drills: that of the worst, unless they were stopped or refute the prediction."""

import pytest

from switchover.figures.prediction_fit import Series
from switchover.report.repeats import judge_repeats, series_of, status_of_repeats
from switchover.rundir.run_directory import Plan
from switchover.verdict.judge import judge
from switchover.verdict.record import Status
from synthetic import END, HEAL, drill, probes

AGREES = Series(outages_ms=(3000.0,), low_ms=2609.0, high_ms=3609.0, outside=0)
REFUTES = Series(outages_ms=(9000.0, 9000.0), low_ms=2609.0, high_ms=3609.0, outside=2)


@pytest.mark.parametrize(
    ("statuses", "series", "asked", "status"),
    [
        ([Status.PASSED, Status.PASSED], AGREES, 2, Status.PASSED),
        ([Status.PASSED, Status.FAILED], AGREES, 2, Status.FAILED),
        ([Status.PASSED], AGREES, 2, Status.STOPPED),
        ([], AGREES, 2, Status.STOPPED),
        ([Status.PASSED, Status.PASSED], REFUTES, 2, Status.REFUTED),
        ([Status.INVALID, Status.PASSED], REFUTES, 2, Status.INVALID),
    ],
)
def test_the_worst_drill_is_the_word_of_all(
    statuses: list[Status], series: Series, asked: int, status: Status
) -> None:
    assert status_of_repeats(statuses, series, asked) is status


def test_drills_that_were_done_are_a_series() -> None:
    repeats = judge_repeats([(f"run-{number}", judge(drill(), [])) for number in range(3)], asked=3)
    assert repeats.status is Status.MEASURED and len(repeats.series.outages_ms) == repeats.asked == 3


@pytest.mark.parametrize(("uniform", "is_fitted"), [((True, True), True), ((True, False), False)])
def test_a_distribution_is_fitted_where_theory_gives_one_for_every_drill(
    uniform: tuple[bool, ...], is_fitted: bool
) -> None:
    verdicts = []
    for by_theory in uniform:
        data = drill()
        assert data.run.fault is not None
        data.run.fault.uniform = by_theory
        verdicts.append(judge(data, []))
    series = series_of(verdicts)
    assert (series.p is not None, series.low_ms, len(series.outages_ms)) == (is_fitted, 2609.375, 2)


def test_what_had_no_fault_is_held_against_no_prediction() -> None:
    unfired = drill(probes=probes(0))
    unfired.run.plan, unfired.run.fault = Plan(start_us=0, end_us=END), None
    series = series_of([judge(data, []) for data in (unfired, drill())])
    assert (len(series.outages_ms), series.low_ms, series.invalid) == (1, 2609.375, 0)


def test_a_drill_whose_probes_stood_still_for_a_while_is_less_sharp_and_not_left_out() -> None:
    held = [one for one in probes() if not HEAL + 171_000 < one.start_us < HEAL + 342_000]
    drills = [("run-0", judge(drill(), [])), ("run-1", judge(drill(probes=held), []))]
    repeats = judge_repeats(drills, asked=2)
    assert repeats.less_sharp == 1 and repeats.series.invalid == 0 and len(repeats.series.outages_ms) == 2
