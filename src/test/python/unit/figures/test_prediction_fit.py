"""The measured outage against theory."""

from dataclasses import replace

import pytest

from switchover.figures.figures import fit_prediction
from switchover.figures.outage import Outage
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


def test_for_ever_is_inside_if_it_was_not_over_by_the_heal() -> None:
    assert fit(outage(15_000, censored=True), 7218, None).inside is True
    assert fit(outage(15_000), 7218, None).inside is True
    assert fit(outage(3000), 7218, None).inside is False


def test_a_censored_outage_is_outside_only_if_it_is_already_too_long() -> None:
    assert fit(outage(5000, censored=True), 2609, 3609).inside is False
    assert fit(outage(1000, censored=True), 2609, 3609).inside is None


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
