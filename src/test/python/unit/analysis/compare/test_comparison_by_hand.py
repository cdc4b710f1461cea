"""What is set side by side: the reasons of a side, the means of drills, and what was set differently."""

import pytest

from support.compared_sides import side_of, verdict_of
from switchover.analysis.compare.bootstrap import over_drills
from switchover.analysis.compare.comparison import (
    Difference,
    Differing,
    FigureUnit,
    Finding,
    Value,
    are_drills,
    by_drill,
    differing,
    drills_differ,
    setting_of,
)
from switchover.rundir.run_directory import FaultRun, Run
from switchover.rundir.run_records import RunSettings, TargetFacts


def test_a_reason_against_one_of_several_drills_names_it() -> None:
    verdicts = [verdict_of(name=name, distrust=[f"the clock of {name} jumped"]) for name in ("a", "b")]
    assert side_of(verdicts[0]).reasons == ["the clock of a jumped"]
    both = side_of(*verdicts)
    assert both.reasons == ["a: the clock of a jumped", "b: the clock of b jumped"]
    assert both.verdicts == verdicts


def test_sides_are_of_drills_where_one_of_them_has_several() -> None:
    one, several = side_of(verdict_of()), side_of(verdict_of(), verdict_of())
    assert [are_drills(sides) for sides in ([one, one], [one, several], [several, one])] == [False, True, True]


def test_the_value_of_drills_is_the_mean_of_those_that_measured_it() -> None:
    sides = [side_of(*(verdict_of(split_brain_ms=ms) for ms in measured)) for measured in ([3.0, None, 6.0], [9.0])]
    figure = by_drill(
        "split brain",
        "switchover",
        FigureUnit.MILLISECONDS,
        [*sides, side_of(verdict_of())],
        lambda v: v.figures.split_brain_ms,
    )
    assert (figure.name, figure.phase, figure.unit) == ("split brain", "switchover", FigureUnit.MILLISECONDS)
    assert figure.values == (Value(4.5), Value(9.0), Value(None))
    assert figure.differences == (
        Difference(Finding.UNKNOWN, 4.5, note="fewer than 5 drills: compare folders of repeats"),
        Difference(Finding.UNKNOWN, note="not measured in one of them"),
    )


def test_a_figure_of_drills_has_chances_of_its_own() -> None:
    slow = [3.0, 5.0, 4.0, 8.0, 5.0]
    sides = [side_of(*(verdict_of(split_brain_ms=ms) for ms in measured)) for measured in ([1.0] * 5, slow)]
    figure = by_drill(
        "split brain", "degraded", FigureUnit.MILLISECONDS, sides, lambda verdict: verdict.figures.split_brain_ms
    )
    interval = over_drills("split brain degraded", [1.0] * 5, slow)
    assert figure.differences == (Difference(Finding.DIFFERS, 4.0, interval, ""),)


MISSING = Difference(Finding.UNKNOWN, note="not measured in one of them")


@pytest.mark.parametrize(
    ("first", "other", "expected"),
    [
        ([], [1.0], MISSING),
        ([1.0], [], MISSING),
        ([1.0], [1.0], Difference(Finding.UNKNOWN, 0.0, note="one event each: compare folders of repeats")),
        ([1.0], [2.5], Difference(Finding.UNKNOWN, 1.5, note="one event each: compare folders of repeats")),
        ([1.0], [1.0, 1.0], Difference(Finding.UNKNOWN, 0.0, note="fewer than 5 drills: compare folders of repeats")),
        ([1.0, 1.0], [1.0], Difference(Finding.UNKNOWN, 0.0, note="fewer than 5 drills: compare folders of repeats")),
        (
            [1.0, 3.0],
            [2.0],
            Difference(Finding.UNKNOWN, 0.0, note="fewer than 5 drills: compare folders of repeats"),
        ),
        (
            [1.0, 2.0],
            [4.0, 5.0, 9.0],
            Difference(Finding.UNKNOWN, 4.5, note="fewer than 5 drills: compare folders of repeats"),
        ),
    ],
)
def test_the_difference_of_few_drills_cannot_be_told(
    first: list[float], other: list[float], expected: Difference
) -> None:
    assert drills_differ("outage", first, other, "a note") == expected


@pytest.mark.parametrize(
    ("other", "finding", "value"), [([1.0] * 5, Finding.NONE, 0), ([2.0] * 5, Finding.DIFFERS, 1)]
)
def test_drills_differ_where_chance_does_not_reach_nothing(
    other: list[float], finding: Finding, value: float
) -> None:
    found = drills_differ("outage", [1.0] * 5, other, "a note")
    assert found == Difference(finding, value, over_drills("outage", [1.0] * 5, other), "a note")


def run_of(**facts: object) -> Run:
    run = Run(id="a", name="node-down", **facts)  # type: ignore[arg-type]
    run.versions = {"haproxy": "3.0"}
    run.settings = RunSettings.of(
        {
            "probe_rate": 100.0,
            "late_ms": 0.5,
            "kill_delay_s": 0.3,
            "generator": None,
            "load": {"users": 5, "state": "ended", "plan": ["a.py", 2]},
        }
    )
    nodes = [
        {"name": "lb1", "role": "balancer", "haproxy": True, "nginx": True},
        {"name": "web1", "role": "backend"},
    ]
    run.target = TargetFacts.of({"url": "http://shop/", "exclusive": True, "lab": True, "nodes": nodes})
    return run


def test_a_setting_is_what_was_chosen_for_a_run_as_text() -> None:
    assert setting_of(run_of(fault=FaultRun(name="node-down", kind="master")), {"lb1/haproxy.cfg": "abc"}) == {
        "fault": "node-down",
        "probe_rate": "100",
        "late_ms": "0.5",
        "generator": "",
        "load.users": "5",
        "load.plan": "a.py, 2",
        "target.url": "http://shop/",
        "target.expect": "",
        "target.exclusive": "True",
        "node lb1": "balancer haproxy nginx",
        "node web1": "backend",
        "version of haproxy": "3.0",
        "file lb1/haproxy.cfg": "abc",
    }
    assert setting_of(run_of())["fault"] == "none"


def test_what_differs_has_a_text_for_each_run_in_the_order_of_the_first() -> None:
    settings = [{"b": "1", "same": "x", "a": "2"}, {"b": "1", "same": "x", "a": "3"}, {"same": "x", "c": "4"}]
    assert differing(settings) == [
        Differing("b", ("1", "1", "")),
        Differing("a", ("2", "3", "")),
        Differing("c", ("", "", "4")),
    ]
