"""The measured outage against theory."""

import random

import pytest

from switchover.analysis.outage import Outage, OutageKind
from switchover.analysis.prediction_fit import PredictionFit, fit_prediction, fit_series
from synthetic import away, pair_run


def outage(milliseconds: float, *, early_ms: float = 2, censored: bool = False) -> Outage:
    return away(round(milliseconds * 1000), round(early_ms * 1000), censored=censored, interval_us=1000.0)


def fit(found: Outage, low: float | None, high: float | None) -> PredictionFit:
    run = pair_run()
    assert run.fault is not None
    run.fault.predict_low_ms, run.fault.predict_high_ms = low, high
    result = fit_prediction(run.plan, run.fault, found)
    assert result is not None
    return result


@pytest.mark.parametrize(
    ("milliseconds", "inside"),
    [(2607.4, True), (2600, False), (2609, True), (3609, True), (3613.5, True), (3614.5, False), (5000, False)],
)
def test_inside_allows_the_bound_the_kill_and_two_intervals(milliseconds: float, inside: bool) -> None:
    # The kill took 0.5 ms, an interval is 1 ms: 2.5 ms either way, and 2 ms more downwards for the bound.
    found = fit(outage(milliseconds), 2609.375, 3609.375)
    assert found.tolerance_ms == 2.5
    assert found.inside is inside


def test_no_outage_is_inside_where_none_was_predicted() -> None:
    none = Outage(OutageKind.NONE, interval_us=1000.0)
    assert fit(none, 0, 0).inside is True
    assert fit(none, 2609, 3609).inside is False


def test_for_ever_is_inside_if_it_was_not_over_by_the_heal() -> None:
    assert fit(outage(15_000, censored=True), 7218, None).inside is True
    assert fit(outage(15_000), 7218, None).inside is True
    assert fit(outage(3000), 7218, None).inside is False


def test_a_censored_outage_is_outside_only_if_it_is_already_too_long() -> None:
    assert fit(outage(5000, censored=True), 2609, 3609).inside is False
    assert fit(outage(1000, censored=True), 2609, 3609).inside is None


def test_without_a_prediction_nothing_is_inside_or_outside() -> None:
    assert fit(outage(3000), None, None).inside is None


def test_no_fault_has_no_prediction() -> None:
    run = pair_run()
    assert fit_prediction(run.plan, None, outage(1)) is None


def test_a_series_is_held_against_the_uniform_distribution() -> None:
    chance = random.Random(3)
    lengths = [chance.uniform(2610, 3609) for _ in range(20)]
    found = [outage(length) for length in lengths]
    fits = [fit(one, 2609.375, 3609.375) for one in found]
    series = fit_series(fits, found, uniform=True, not_trusted=0)
    assert series.outside == 0 and series.p is not None and series.p > 0.001 and not series.refuted
    assert fit_series(fits, found, uniform=False, not_trusted=0).p is None
    crowded = [outage(3600) for _ in range(20)]
    assert fit_series(fits, crowded, uniform=True, not_trusted=0).refuted


def test_what_did_not_recover_or_cannot_be_trusted_is_counted() -> None:
    found = [outage(3000), outage(9000, censored=True)]
    series = fit_series([fit(one, 2609.375, 3609.375) for one in found], found, uniform=False, not_trusted=3)
    assert (len(series.outages_ms), series.not_recovered, series.not_trusted) == (1, 1, 3)
