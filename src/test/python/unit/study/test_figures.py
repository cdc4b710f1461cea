from contextlib import nullcontext

import pytest

import synthetic
from support.request_tables import run_data
from switchover.model.errors import RunDirectoryError
from switchover.model.failure_kind import FailureKind
from switchover.rundir.run_directory import Run
from switchover.rundir.sample_log import Sample
from switchover.study.figures import request_figures, require_load_at_fault


def sample(start_ms: int, ms: int, error: FailureKind | None = None) -> Sample:
    return synthetic.sample(start_ms * 1000, (start_ms + ms) * 1000, success=error is None, error=error)


def figures_of(*samples: Sample, ramp_up_s: float = 0.0, planned_s: float = 0.0) -> dict[str, float]:
    return request_figures(run_data(Run("r", "r"), samples=samples).tables(), ramp_up_s, planned_s)


def test_good_and_failed_answers_are_never_one_rate_and_times_are_those_of_good_ones() -> None:
    figures = figures_of(sample(0, 100), sample(500, 300), sample(990, 10, error=FailureKind.REFUSED))
    assert (figures["good"], figures["failed"]) == (2, 1)
    assert (figures["good_rate"], figures["failed_rate"], figures["all_rate"]) == (2.0, 1.0, 3.0)
    assert figures["mean"] == 200.0
    assert figures["mean_all"] == pytest.approx(136.667, abs=0.001)
    assert figures["failed_share"] == pytest.approx(33.333, abs=0.001)


def test_rates_are_taken_between_the_ramp_up_and_the_planned_end() -> None:
    even = [sample(100 * number, 50) for number in range(100)]
    late = [sample(10_000, 5_000)]
    figures = figures_of(sample(0, 1_500), *even, *late, ramp_up_s=2, planned_s=10)
    assert figures["good_rate"] == 10.0
    assert figures["max"] == 50.0
    assert figures["requests"] == 102


@pytest.mark.parametrize(("fired_ms", "over"), [(1_500, True), (900, False)])
def test_a_load_that_was_over_before_the_fault_tells_nothing_of_it(fired_ms: int, over: bool) -> None:
    run = Run("r", "r")
    run.plan.fired_to_us = fired_ms * 1000
    data = run_data(run, samples=[sample(0, 1_000)])
    with pytest.raises(RunDirectoryError, match="ended before the fault") if over else nullcontext():
        require_load_at_fault(data)
