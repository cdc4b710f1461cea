"""The prober's grid and its send lag, as both languages reckon them."""

from typing import Any

import pytest

from support.contract import named
from switchover.prober.account import Lags, Schedule
from switchover.prober.spec import exact_rate


@pytest.mark.parametrize("case", named("schedule.json", "rates"))
def test_a_rate_makes_the_grid_that_was_agreed(case: dict[str, Any]) -> None:
    rate = exact_rate(case["rate"])
    assert (rate.numerator, rate.denominator) == (case["numerator"], case["denominator"])
    schedule = Schedule(case["t0_ns"], rate, stale_ns=1)
    assert [[index, schedule.due_ns(index)] for index, _ in case["due_ns"]] == case["due_ns"]
    assert [schedule.take() for _ in case["first"]] == case["first"]


@pytest.mark.parametrize("case", named("schedule.json", "walks"))
def test_slots_are_taken_or_given_up_as_agreed(case: dict[str, Any]) -> None:
    schedule = Schedule(case["t0_ns"], exact_rate(case["rate"]), case["stale_ns"])
    for step in case["steps"]:
        schedule.give_up_stale(step["now_ns"])
        taken: list[int] = []
        while len(taken) < step["sends"] and schedule.next_due_ns <= step["now_ns"]:
            taken.append(schedule.take())
        assert taken == step["taken"]
        assert (schedule.scheduled, schedule.unsent) == (step["scheduled"], step["unsent"])
        assert schedule.next_due_ns == step["next_due_ns"]


@pytest.mark.parametrize("case", named("schedule.json", "lags"))
def test_lags_have_the_percentiles_that_were_agreed(case: dict[str, Any]) -> None:
    lags = Lags()
    for lag_ns in case["lags_ns"]:
        lags.add(lag_ns)
    assert [lags.percentile_ms(percent) for percent in (50, 99, 100)] == [case["p50"], case["p99"], case["max"]]
