"""Repeated drills of one fault: their distribution against the prediction, and one verdict for all."""

import random
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec import structs

from switchover.report.documents import Judged, judged_of, tree_of
from switchover.report.repeats import drills_table, series_json, series_lines, status_of_repeats, summary_json
from switchover.rundir.run_directory import Plan
from switchover.verdict.judge import judge
from switchover.verdict.record import Prediction, Status
from synthetic import END, drill, probes

DRILL = judged_of(judge(drill(), []))
WINDOW = (2609.375, 3609.375)


def measured(
    low_ms: float,
    high_ms: float,
    window: tuple[float | None, float | None] = WINDOW,
    *,
    inside: bool | None = True,
    censored: bool = False,
    uniform: bool = True,
    valid: bool = True,
) -> Judged:
    verdict, run = DRILL
    assert verdict.outage is not None
    outage = structs.replace(verdict.outage, low_ms=low_ms, high_ms=None if censored else high_ms, censored=censored)
    fit = Prediction(fault="f", low_ms=window[0], high_ms=window[1], tolerance_ms=1.0, inside=inside)
    described = tree_of(run | {"fault": run.fault | {"uniform": uniform}})
    return Judged(structs.replace(verdict, outage=outage, prediction=fit, valid=valid), described)


@pytest.mark.parametrize(
    ("statuses", "refuted", "asked", "status"),
    [
        ([Status.PASSED, Status.PASSED], False, 2, Status.PASSED),
        ([Status.PASSED, Status.FAILED], False, 2, Status.FAILED),
        ([Status.PASSED], False, 2, Status.STOPPED),
        ([], False, 2, Status.STOPPED),
        ([Status.PASSED, Status.PASSED], True, 2, Status.REFUTED),
        ([Status.INVALID, Status.PASSED], True, 2, Status.INVALID),
    ],
)
def test_the_worst_drill_is_the_verdict_of_all(
    statuses: list[Status], refuted: bool, asked: int, status: Status
) -> None:
    assert status_of_repeats(statuses, asked, refuted=refuted) is status


CHANCE = random.Random(3)
SPREAD = [measured(length, length) for length in (CHANCE.uniform(2610, 3609) for _ in range(20))]
OUTSIDE = measured(4985, 5005, inside=False)


@pytest.mark.parametrize(
    ("drills", "expected"),
    [
        ([], {"outages_ms": [], "low_ms": None, "outside": None, "p": None, "refuted": False}),
        ([measured(2998, 3000), OUTSIDE], {"outages_ms": [2999.0, 4995.0], "outside": 1, "refuted": False}),
        ([measured(2998, 3000), OUTSIDE, OUTSIDE], {"outside": 2, "refuted_by_window": True, "refuted": True}),
        ([measured(5, 5, (1.0, 9.0)), measured(5, 5, (1.0, 8.0))], {"low_ms": None, "p": None}),
        ([measured(5, 5, (5.0, 5.0))], {"low_ms": 5.0, "p": None}),
        ([measured(5, 5, (None, None), inside=None)], {"outside": None, "low_ms": None}),
        ([*SPREAD, measured(3000, 3000, uniform=False)], {"p": None, "outside": 0}),
        ([measured(3600, 3600)] * 20, {"refuted_by_fit": True, "refuted": True, "outside": 0}),
        (
            [measured(3000, 3000), measured(9000, 0, censored=True), measured(1, 1, valid=False)],
            {"outages_ms": [3000]},
        ),
    ],
)
def test_the_outages_are_compared_with_one_window_and_its_uniform_distribution(
    drills: Sequence[Judged], expected: dict[str, Any]
) -> None:
    found = series_json(drills)
    assert {name: found[name] for name in expected} == expected


def test_outages_that_are_even_over_the_window_agree_with_it() -> None:
    found = series_json(SPREAD)
    assert found["p"] > 0.001 and not found["refuted"]


def test_a_summary_counts_what_is_left_out() -> None:
    unfired = drill(probes=probes(0))
    unfired.run.plan, unfired.run.fault = Plan(start_us=0, end_us=END), None
    drills = [DRILL, judged_of(judge(unfired, [])), DRILL, measured(9, 9, censored=True)]
    found = summary_json([(f"run-{place}", one) for place, one in enumerate(drills)], 5)
    counts = {name: found[name] for name in ("verdict", "asked", "done", "not_recovered", "invalid")}
    assert counts == {
        "verdict": "STOPPED", "asked": 5, "done": 4, "not_recovered": 1, "invalid": 0,
    }  # fmt: skip
    assert len(found["series"]["outages_ms"]) == 2 and [row["run"] for row in found["runs"]] == [
        f"run-{place}" for place in range(4)
    ]


def lines(*drills: Judged) -> list[str]:
    return series_lines(tree_of(summary_json([("run", one) for one in drills], 5)))


def test_the_distribution_is_printed_in_lines_and_a_table() -> None:
    assert lines(measured(3000, 3000), measured(3010, 3010, uniform=False)) == [
        "2 of 5 drills",
        "Outage 3.00 s to 3.01 s, median 3.00 s, 2 drills",
        "Predicted 2.61–3.61 s: 0 outside",
    ]
    assert lines() == ["0 of 5 drills", "no valid drill recovered: there is no distribution"]
    assert "2 outside, REFUTED" in lines(OUTSIDE, OUTSIDE)[2]
    assert "REFUTED (p < 0.001)" in lines(*[measured(3600, 3600)] * 20)[3]
    (row,) = drills_table([DRILL]).rows
    assert [cell.text for cell in row] == [
        "1", "3.01 s", "2.989–3.010", "≤ 10 ms", "✓", "none", "MEASURED",
    ]  # fmt: skip
