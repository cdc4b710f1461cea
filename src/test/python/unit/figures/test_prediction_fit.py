"""The measured outage against theory."""

import random
from dataclasses import replace

import pytest

from switchover.figures.outage import Outage
from switchover.figures.prediction_fit import Series, fit_prediction, fit_series
from switchover.figures.statistics import kolmogorov_uniform
from switchover.verdict.record import OutageKind, Prediction
from synthetic import away, pair_run


def outage(milliseconds: float, *, early_ms: float = 2, censored: bool = False) -> Outage:
    return away(round(milliseconds * 1000), round(early_ms * 1000), censored=censored, interval_us=1000.0)


def fit(found: Outage, low: float | None, high: float | None) -> Prediction:
    run = pair_run()
    assert run.fault is not None
    run.fault.predict_low_ms, run.fault.predict_high_ms = low, high
    result = fit_prediction(run.plan, run.fault, found)
    assert result is not None
    return result


@pytest.mark.parametrize(
    ("milliseconds", "inside"),
    [
        (2606.875, True),
        (2606.874, False),
        (2609, True),
        (3609, True),
        (3613.875, True),
        (3613.876, False),
        (5000, False),
    ],
)
def test_inside_allows_the_bound_the_kill_and_two_intervals(milliseconds: float, inside: bool) -> None:
    # The kill took 0.5 ms, an interval is 1 ms: 2.5 ms either way, and 2 ms more downwards for the bound.
    found = fit(outage(milliseconds), 2609.375, 3609.375)
    assert (found.fault, found.tolerance_ms) == ("haproxy-kill", 2.5)
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


def test_a_run_without_a_fault_or_without_probes_is_neither_inside_nor_outside() -> None:
    run = pair_run()
    assert run.fault is not None
    assert fit_prediction(run.plan, run.fault, None) == Prediction(
        fault="haproxy-kill", low_ms=2609.375, high_ms=4609.375, tolerance_ms=None, inside=None
    )
    assert fit_prediction(replace(run.plan, fired_from_us=None), run.fault, outage(1)) is None
    assert fit_prediction(run.plan, replace(run.fault, kind="none"), outage(1)) is None
    ended_at_once = fit_prediction(replace(run.plan, fired_to_us=None), run.fault, outage(3000))
    assert ended_at_once is not None and ended_at_once.tolerance_ms == 2.0


def test_good_answers_between_the_impaired_ones_are_no_outage_to_compare() -> None:
    partial = replace(outage(3000), kind=OutageKind.PARTIAL)
    assert fit(partial, 2609, 3609).inside is None


def test_an_outage_stands_at_the_middle_of_what_its_bound_allows() -> None:
    found = [outage(3000), outage(5000, early_ms=10)]
    fits = [fit(one, 2609.375, 3609.375) for one in found]
    series = fit_series(fits, found, uniform=False, invalid=0)
    assert (series.outages_ms, series.low_ms, series.high_ms) == ((2999.0, 4995.0), 2609.375, 3609.375)
    assert (series.outside, series.refuted, series.distance, series.p) == (1, False, None, None)
    again = fit_series([*fits, fits[1]], [*found, found[1]], uniform=False, invalid=0)
    assert (again.outside, again.refuted) == (2, True)


@pytest.mark.parametrize(("windows", "low"), [([(1.0, 9.0), (1.0, 8.0)], None), ([(5.0, 5.0)] * 2, 5.0), ([], None)])
def test_evenness_is_asked_of_one_window_that_has_a_width(
    windows: list[tuple[float, float]], low: float | None
) -> None:
    found = [outage(5) for _ in windows]
    fits = [fit(one, *window) for one, window in zip(found, windows, strict=True)]
    series = fit_series(fits, found, uniform=True, invalid=0)
    assert (series.low_ms, series.p, series.distance) == (low, None, None)


def test_none_stands_at_nothing_and_needs_no_rate() -> None:
    found = [Outage(OutageKind.NONE), away(10)]
    fits = [fit(one, 0.0, 9.0) for one in found]
    assert [one.tolerance_ms for one in fits] == [0.5, 0.5]
    series = fit_series(fits, found, uniform=True, invalid=0)
    assert (series.outages_ms, series.distance) == ((0.0, 0.01), kolmogorov_uniform((0.0, 0.01), 0.0, 9.0)[0])


def test_what_theory_does_not_say_has_nothing_outside() -> None:
    found = [outage(5)]
    assert fit_series([fit(found[0], None, None)], found, uniform=True, invalid=0).outside is None


@pytest.mark.parametrize(
    ("outside", "p", "refuted"), [(None, 0.001, False), (None, 0.00099, True), (1, None, False), (2, None, True)]
)
def test_a_series_is_refuted_by_two_outside_or_by_chance_of_less_than_one_in_a_thousand(
    outside: int | None, p: float | None, refuted: bool
) -> None:
    assert Series(outages_ms=(), low_ms=None, high_ms=None, outside=outside, p=p).refuted is refuted


def test_a_series_is_held_against_the_uniform_distribution() -> None:
    chance = random.Random(3)
    lengths = [chance.uniform(2610, 3609) for _ in range(20)]
    found = [outage(length) for length in lengths]
    fits = [fit(one, 2609.375, 3609.375) for one in found]
    series = fit_series(fits, found, uniform=True, invalid=0)
    assert series.outside == 0 and series.p is not None and series.p > 0.001 and not series.refuted
    assert fit_series(fits, found, uniform=False, invalid=0).p is None
    crowded = [outage(3600) for _ in range(20)]
    assert fit_series(fits, crowded, uniform=True, invalid=0).refuted


def test_what_did_not_recover_or_cannot_be_trusted_is_counted() -> None:
    found = [outage(3000), outage(9000, censored=True)]
    series = fit_series([fit(one, 2609.375, 3609.375) for one in found], found, uniform=False, invalid=3)
    assert (len(series.outages_ms), series.not_recovered, series.invalid) == (1, 1, 3)
