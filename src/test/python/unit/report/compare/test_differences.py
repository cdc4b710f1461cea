"""Runs side by side by their verdicts: what differs by more than chance or a bound, and what cannot be told."""

import random
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from msgspec import structs

from support.kept_runs import KEPT
from switchover.report.compare.differences import (
    Difference,
    Figure,
    FigureUnit,
    Finding,
    Side,
    Value,
    compare,
    differing,
    over_drills,
    setting_of,
)
from switchover.report.documents import Judged, tree_of
from switchover.verdict.reasons import make_reason
from switchover.verdict.record import OutageKind, PhaseName, Prediction, Verdict


@pytest.fixture(scope="module")
def kept() -> Verdict:
    return msgspec.json.decode((KEPT / "haproxy-kill-locust" / "verdict.json").read_bytes(), type=Verdict)


def with_outage(verdict: Verdict, low_ms: float, high_ms: float | None, **facts: Any) -> Verdict:
    assert verdict.outage is not None
    given = {"recovered": True, "gap_count": 1, "kind": OutageKind.OUTAGE} | facts
    return structs.replace(verdict, outage=structs.replace(verdict.outage, low_ms=low_ms, high_ms=high_ms, **given))


def predicted(verdict: Verdict, low_ms: float | None, high_ms: float | None) -> Verdict:
    fit = Prediction(fault="f", low_ms=low_ms, high_ms=high_ms, tolerance_ms=None, inside=None)
    return structs.replace(verdict, prediction=fit)


def side(*verdicts: Verdict) -> Side:
    return Side("x", [Judged(verdict, tree_of({})) for verdict in verdicts])


def figures_of(*sides: Side) -> dict[tuple[str, str], Figure]:
    return {(figure.name, figure.phase or ""): figure for figure in compare(sides)}


def outage_of(*sides: Side) -> Difference:
    return figures_of(*sides)["outage", ""].differences[0]


@pytest.mark.parametrize(
    ("other", "window", "finding", "interval", "note"),
    [
        ((2_000, 3_500), (0, 100), Finding.UNKNOWN, (-2_000, 500), "one event each: the intervals overlap"),
        (
            (4_001, 4_100),
            (0, 0),
            Finding.DIFFERS,
            (1, 1_100),
            "more than the largest difference that theory explains by chance",
        ),
        (
            (1_000, 2_000),
            (0, 900),
            Finding.DIFFERS,
            (-3_000, -1_000),
            "more than the largest difference that theory explains by chance",
        ),
        (
            (1_000, 2_000),
            (0, 1_000),
            Finding.UNKNOWN,
            (-3_000, -1_000),
            "one event each: by chance alone two drills may differ by up to 1,000 ms",
        ),
        (
            (1_000, 2_000),
            None,
            Finding.UNKNOWN,
            (-3_000, -1_000),
            "one event each: the difference that chance alone may cause is unknown",
        ),
    ],
)
def test_two_single_outages_are_compared_by_their_bounds_and_by_what_theory_leaves_to_chance(
    other: tuple[float, float],
    window: tuple[float, float] | None,
    finding: Finding,
    interval: tuple[float, float],
    note: str,
    kept: Verdict,
) -> None:
    verdicts = [with_outage(kept, *bounds) for bounds in ((3_000, 4_000), other)]
    verdicts = [predicted(one, *(window or (None, None))) for one in verdicts]
    found = outage_of(*map(side, verdicts))
    assert (found.finding, found.note, found.value) == (finding, note, other[1] - 4_000)
    assert (found.low, found.high) == interval


def test_an_outage_that_was_not_measured_or_did_not_end_cannot_be_compared(kept: Verdict) -> None:
    away = with_outage(kept, 3_000, None, recovered=False)
    found = figures_of(side(kept), side(kept), side(away), side(structs.replace(kept, outage=None)))["outage", ""]
    assert found.values[2:] == (Value(None), Value(None))
    assert {one.note for one in found.differences[1:]} == {"not measured or not recovered on one side"}
    none = with_outage(kept, 0, 40, gap_count=0, kind=OutageKind.NONE)
    assert figures_of(side(none), side(none))["outage", ""].values[0] == Value(0.0, 0.0, 40)


def test_of_two_single_runs_nothing_but_their_outages_can_be_told_apart(kept: Verdict) -> None:
    found = figures_of(side(kept), side(kept))
    assert {name for name, _ in found} > {"outage", "failback", "split brain", "probes: p99", "load: rate"}
    for (name, _), figure in found.items():
        if name not in ("outage", "failback"):
            assert figure.differences == (
                Difference(Finding.UNKNOWN, 0.0, note="one event each: compare folders of repeats"),
            )


def test_folders_of_repeats_are_compared_by_the_means_of_their_drills(kept: Verdict) -> None:
    chance = random.Random(3)

    def repeats(middle: float) -> Side:
        return side(*(with_outage(kept, middle, middle + chance.uniform(0, 50)) for _ in range(8)))

    first = repeats(3_000)
    differs, none = outage_of(first, repeats(3_500)), outage_of(first, repeats(3_000))
    assert differs.finding is Finding.DIFFERS and differs.value is not None and 430 < differs.value < 570
    assert none.finding is Finding.NONE and none.low is not None and none.low < 0
    few = outage_of(first, side(*(with_outage(kept, 1, 2) for _ in range(4))))
    assert (few.finding, few.note) == (Finding.UNKNOWN, "fewer than 5 drills: compare folders of repeats")
    lost = side(*first.verdicts, with_outage(kept, 1, None, recovered=False))
    assert outage_of(first, lost).note == "without drills that did not recover"


def test_figures_are_those_of_the_verdict(kept: Verdict) -> None:
    found = figures_of(side(kept), side(kept))
    assert kept.samples is not None and kept.probes is not None
    counts = kept.samples.by_phase[PhaseName.SWITCHOVER]
    assert found["load: failed", "switchover"].values[0].value == counts.failed / counts.total
    latency = kept.probes.by_phase[PhaseName.BASELINE].latency_ms
    assert latency is not None and latency.from_schedule is not None
    assert found["probes: p99", "baseline"].values[0].value == latency.from_schedule.p99
    assert found["load: failed", "switchover"].unit is FigureUnit.SHARE


@pytest.mark.parametrize(
    ("first", "other", "low", "high"),
    [([1.0] * 5, [3.0] * 5, 2.0, 2.0), ([0.0, 1.0] * 10, [10.0, 11.0] * 10, 9.65, 10.35)],
)
def test_the_interval_of_a_difference_comes_from_resampled_drills(
    first: Sequence[float], other: Sequence[float], low: float, high: float
) -> None:
    found = over_drills("x", first, other)
    assert found == pytest.approx((low, high), abs=0.06)
    assert found == over_drills("x", first, other), "the same for the same input"


def test_a_side_is_invalid_by_reasons_with_exit_code_2(kept: Verdict) -> None:
    reasons = [make_reason("no_end"), make_reason("limit_inconclusive", figure="f", limit="1", why="")]
    invalid = structs.replace(kept, reasons=reasons)
    assert side(invalid).reasons == [reasons[0].text]
    assert side(kept, invalid).reasons == [f"{kept.run}: {reasons[0].text}"]


def test_settings_that_differ_are_named() -> None:
    def run(fault: str, **settings: Any) -> Any:
        target = {"url": "http://shop/", "nodes": [{"name": "lb1", "role": "balancer", "haproxy": True}]}
        described = {
            "fault": {"name": fault},
            "settings": settings,
            "target": target,
            "versions": {},
        }
        return setting_of(tree_of(described))

    first = run("haproxy-kill", probe_rate=25.0, limits=["outage=1s"], hold_s=3)
    other = run("node-down", probe_rate=50.5)
    assert first["node lb1"] == "balancer haproxy" and "limits" not in first and "hold_s" not in first
    assert {one.name: one.values for one in differing([first, other])} == {
        "fault": ("haproxy-kill", "node-down"),
        "probe_rate": ("25", "50.5"),
    }
